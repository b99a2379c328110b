import { describe, expect, it } from 'vitest';
import { admit } from '../../src/http/operator.js';

const door = {
  credentials: { call: 'calls', view: 'views', answer: 'answers', administer: 'administers' },
  openLoopback: true,
  hosts: new Set(['127.0.0.1:4173', 'localhost:4173']),
};

function ask(headers: Record<string, string>, method = 'GET'): () => void {
  const given = { method, headers: new Headers(headers) };
  return () => admit(given, ['view'], door);
}

const host = '127.0.0.1:4173';

describe('a route of the operator', () => {
  it('answers only to its own host names', () => {
    for (const name of ['127.0.0.1:4173', 'LOCALHOST:4173'])
      expect(ask({ host: name })).not.toThrow();
    for (const name of ['evil.example:4173', '127.0.0.1', '127.0.0.1:4174', '']) {
      expect(ask({ host: name })).toThrow('does not answer to the host name');
    }
  });

  it('answers only to pages of its own origins', () => {
    expect(ask({ host, origin: 'http://localhost:4173' })).not.toThrow();
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1', 'nonsense']) {
      expect(ask({ host, origin })).toThrow('other origins');
    }
  });

  it('refuses what a browser sends for a page of another site', () => {
    for (const site of ['same-origin', 'none'])
      expect(ask({ host, 'sec-fetch-site': site })).not.toThrow();
    for (const site of ['cross-site', 'same-site'])
      expect(ask({ host, 'sec-fetch-site': site })).toThrow('other sites');
  });

  it('refuses bodies that a form of a page can send', () => {
    const type = (text: string) => ask({ host, 'content-type': text }, 'POST');
    expect(type('application/json; charset=utf-8')).not.toThrow();
    for (const text of ['text/plain', 'application/x-www-form-urlencoded', ''])
      expect(type(text)).toThrow('Send JSON');
  });

  it('requires the whole token of its role', () => {
    const bring = (authorization: string) => () =>
      admit(new Request('http://x/', { headers: { authorization } }), ['view'], {
        ...door,
        openLoopback: false,
        hosts: new Set(),
      });
    expect(bring('bearer views')).not.toThrow();
    for (const text of ['Bearer view', 'Bearer viewss', 'Bearer', 'views', 'Basic views', '']) {
      expect(bring(text)).toThrow('needs the token to view');
    }
    expect(bring('Bearer calls')).toThrow('This token may call');
  });

  it('never accepts an empty token', () => {
    const empty = { credentials: { call: '', view: '', answer: '', administer: '' } };
    const given = new Request('http://x/', { headers: { authorization: 'Bearer ' } });
    expect(() =>
      admit(given, ['view'], { ...empty, openLoopback: false, hosts: new Set() }),
    ).toThrow('needs the token');
  });
});
