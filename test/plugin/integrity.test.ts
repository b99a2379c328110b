import { describe, expect, it } from 'vitest';
import { integrityOf } from '../../src/plugin/integrity.js';

describe('integrityOf', () => {
  it('returns a digest in the form of Subresource Integrity', () => {
    expect(integrityOf('abc')).toBe(
      'sha512-3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw==',
    );
  });

  it('returns the same digest for a text and its bytes', () => {
    expect(integrityOf('é')).toBe(integrityOf(new TextEncoder().encode('é')));
  });
});
