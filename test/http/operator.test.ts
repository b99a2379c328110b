import { describe, expect, it } from 'vitest';
import { requireOwnHost, requireToken } from '../../src/http/operator.js';

const hosts = new Set(['127.0.0.1:4173', 'localhost:4173']);

function ask(headers: Record<string, string>): () => void {
  const given = { headers: new Headers(headers) };
  return () => requireOwnHost(given as Request, hosts);
}

describe('what is the operator’s', () => {
  it('answers to its own names alone', () => {
    for (const host of ['127.0.0.1:4173', 'LOCALHOST:4173']) expect(ask({ host })).not.toThrow();
    for (const host of ['evil.example:4173', '127.0.0.1', '127.0.0.1:4174', '']) {
      expect(ask({ host })).toThrow('does not answer to the name');
    }
  });

  it('answers to its own pages alone', () => {
    const host = '127.0.0.1:4173';
    expect(ask({ host, origin: 'http://localhost:4173' })).not.toThrow();
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1', 'nonsense']) {
      expect(ask({ host, origin })).toThrow('other origins');
    }
  });

  it('asks for the whole token', () => {
    const bring = (authorization: string) => () =>
      requireToken(new Request('http://x/', { headers: { authorization } }), 'secret');
    expect(bring('bearer secret')).not.toThrow();
    for (const text of ['Bearer secre', 'Bearer secrett', 'Bearer', 'secret', 'Basic secret']) {
      expect(bring(text)).toThrow('token');
    }
  });
});
