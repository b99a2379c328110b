import { describe, expect, it } from 'vitest';
import { makeOwnScrubbers } from '../../../src/remotes/mcp/own-secrets.js';

describe('what a server was given', () => {
  const scrubbersOf = (env: Record<string, string>): ReturnType<typeof makeOwnScrubbers> =>
    makeOwnScrubbers({ id: 'a', command: 'server', env }, () => []);

  it.each([
    ['API_KEY', 'plainwords'],
    ['X_PASSWORD', 'correct-horse'],
    ['DB', 'postgres://me:sesame@db.example/app'],
    ['HOOK', 'https://hooks.example/T0/B0/abc'],
    ['OTHER', 'f81d4fae7dec11d0'],
    ['OTHER', '/9j4AAQSkZJRg'],
  ])('is taken out of a result if it is a credential: %s=%s', (name, value) => {
    expect(scrubbersOf({ [name]: value }).answer(`got ${value}.`)).toBe('got [credential].');
  });

  it.each([
    ['REGION', 'us-east-1'],
    ['ACCEPT', 'application/json'],
    ['TZ', 'Europe/Berlin'],
    ['ROOT', '/home/ann/notes.db'],
    ['HOST', 'https://api.example.com'],
  ])('stays in a result if it is a setting, and not in an error: %s=%s', (name, value) => {
    const { answer, error } = scrubbersOf({ [name]: value });
    expect(answer(`got ${value}.`)).toBe(`got ${value}.`);
    expect(error(`got ${value}.`)).toBe('got [credential].');
  });

  it('is also what the login got since', () => {
    let token = 'first-token-1234';
    const { answer } = makeOwnScrubbers({ id: 'a', mcp: 'https://mcp.example' }, () => [token]);
    expect(answer('first-token-1234')).toBe('[credential]');
    token = 'second-token-1234';
    expect(answer('second-token-1234')).toBe('[credential]');
  });
});
