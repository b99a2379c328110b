import { describe, expect, it } from 'vitest';
import { integrityOf } from '../../src/plugin/integrity.js';

describe('integrityOf', () => {
  it('is the digest that Subresource Integrity writes', () => {
    expect(integrityOf('abc')).toBe(
      'sha512-3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw==',
    );
  });

  it('is the same for a text and for its bytes', () => {
    expect(integrityOf('é')).toBe(integrityOf(new TextEncoder().encode('é')));
  });
});
