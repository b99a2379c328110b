import { describe, expect, it } from 'vitest';
import { makeLoginFetch } from '../../../src/remotes/mcp/login-fetch.js';

function loginFetch(mcp: string, allowPrivate = true) {
  return makeLoginFetch({ id: 'house', options: { mcp, allowPrivate }, network: {} });
}

describe('a request of a login', () => {
  it.each(['http://192.0.2.1/token', 'http://token.example.com/', 'file:///etc/passwd'])(
    'is not sent in the open: %s',
    async (url) => {
      const { fetch } = loginFetch('https://house.example.com/mcp');
      await expect(fetch(url)).rejects.toThrow('is not at https:');
    },
  );

  it.each(['https://10.0.0.1/', 'https://169.254.169.254/latest', 'https://127.0.0.1:9/'])(
    'does not reach a private address that the server names: %s',
    async (url) => {
      const { fetch, close } = loginFetch('https://192.168.7.7/mcp');
      await expect(fetch(url)).rejects.toMatchObject({ code: 'NETWORK_DENIED' });
      await close();
    },
  );

  it('goes to a few servers only', async () => {
    const { fetch, close } = loginFetch('https://house.example.com/mcp');
    const codes: string[] = [];
    for (let at = 1; at <= 9; at += 1) {
      codes.push(await fetch(`https://10.0.0.${at}/`).then(String, (error) => String(error)));
    }
    expect(codes.slice(0, 8).filter((text) => text.includes('more than'))).toEqual([]);
    expect(codes[8]).toContain('more than 8 servers');
    await close();
  });
});
