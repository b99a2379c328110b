import { describe, expect, it } from 'vitest';
import type { McpHttpOptions, Remote } from '../../../src/remotes/remote.js';
import { callOf, runRemote } from '../vertesia/server.js';
import { metadataOf, type OAuthServer, serveOAuth } from './oauth-server.js';
import { makeLogins, makePins, makeRemote } from './servers.js';

const METADATA = '/.well-known/oauth-authorization-server';
const RESOURCE = '/.well-known/oauth-protected-resource/mcp';

/** A person who opens the page, and follows it back. */
async function openPage(page: string): Promise<number> {
  const { headers } = await fetch(page, { redirect: 'manual' });
  return (await fetch(headers.get('location') ?? '')).status;
}

/** Logs in. Returns the status that the person's browser got at the end. */
async function logIn(remote: Remote, open = openPage): Promise<number | undefined> {
  let status: Promise<number> | undefined;
  const show = (page: string): void => void (status = open(page));
  await remote.logIn?.({ show, signal: AbortSignal.timeout(5_000) });
  return status;
}

function remoteOf(
  server: OAuthServer,
  oauth: McpHttpOptions['oauth'] = true,
): {
  readonly remote: Remote;
  readonly logins: ReturnType<typeof makeLogins>;
} {
  const logins = makeLogins();
  return {
    logins,
    remote: makeRemote({ mcp: server.url, allowPrivate: true, oauth }, makePins(), logins),
  };
}

const listOf = (remote: Remote) => remote.load(AbortSignal.timeout(20_000));

describe('an MCP server that requires OAuth', () => {
  it('says which command logs in, and registers nothing before', async () => {
    const server = await serveOAuth();
    const { tools, problems } = await listOf(remoteOf(server).remote);
    expect(tools).toEqual([]);
    expect(problems[0]?.message).toContain('bulkhead remotes --login house');
    expect(server.seen).not.toContain('/register');
  });

  it('is used with the token of a login, which is bound to the server, by S256 and its resource', async () => {
    const server = await serveOAuth();
    const { remote } = remoteOf(server);
    expect(await logIn(remote)).toBe(200);
    expect((await listOf(remote)).tools.map(({ tool }) => tool)).toEqual(['echo']);
    expect(await runRemote(remote, callOf(), 'echo')).toMatchObject({
      content: [{ text: 'done' }],
    });
    expect(server.forms[0]?.get('resource')).toBe(server.url);
    expect(server.forms[0]?.get('code_verifier')).toMatch(/^.{43,}$/);
  });

  it('gets one refresh for many calls at once, and the new tokens are stored', async () => {
    const server = await serveOAuth();
    const { remote, logins } = remoteOf(server);
    await logIn(remote);
    await listOf(remote);
    const before = logins.texts.get('house');
    server.valid.clear();
    const calls = Array.from({ length: 8 }, () => runRemote(remote, callOf(), 'echo'));
    await Promise.all(calls);
    expect(server.forms.map((form) => form.get('grant_type'))).toEqual([
      'authorization_code',
      'refresh_token',
    ]);
    expect(logins.texts.get('house')).not.toBe(before);
  });

  it('asks for a login again if the refresh fails, and after a logout', async () => {
    const server = await serveOAuth();
    const { remote, logins } = remoteOf(server);
    await logIn(remote);
    await listOf(remote);
    server.valid.clear();
    server.documents.set('/token', { error: 'invalid_grant' });
    await expect(runRemote(remote, callOf(), 'echo')).rejects.toThrow(
      'bulkhead remotes --login house',
    );
    await remote.logOut?.();
    expect(logins.texts.size).toBe(0);
  });

  it('gets more rights only by a login of a person, who is told which', async () => {
    const server = await serveOAuth();
    const { remote } = remoteOf(server);
    await logIn(remote);
    await listOf(remote);
    server.required = 'admin';
    const forms = server.forms.length;
    await expect(runRemote(remote, callOf(), 'echo')).rejects.toMatchObject({
      code: 'REMOTE_FAILED',
      message: expect.stringContaining(
        '("admin"). To request them, run: bulkhead remotes --login house',
      ),
    });
    // For a call nothing is requested, neither a page nor a token.
    expect([server.forms.length, server.scopes]).toEqual([forms, ['tools']]);
    await logIn(remote);
    expect(server.scopes.at(-1)?.split(' ').toSorted()).toEqual(['admin', 'tools']);
    expect(await runRemote(remote, callOf(), 'echo')).toMatchObject({
      content: [{ text: 'done' }],
    });
  });

  it('cannot send the refresh token to an authorization server that it names later', async () => {
    const [server, other] = [await serveOAuth(), await serveOAuth()];
    const { remote } = remoteOf(server);
    await logIn(remote);
    await listOf(remote);
    server.documents.set(RESOURCE, { resource: server.url, authorization_servers: [other.origin] });
    server.valid.clear();
    await runRemote(remote, callOf(), 'echo');
    expect(server.forms).toHaveLength(2);
    expect(other.seen).toEqual([]);
  });

  it('gets no token that was made for another URL', async () => {
    const [server, other] = [await serveOAuth(), await serveOAuth()];
    const { remote, logins } = remoteOf(server);
    await logIn(remote);
    const moved = makeRemote(
      { mcp: other.url, allowPrivate: true, oauth: true },
      makePins(),
      logins,
    );
    const token = [...server.valid][0] ?? '';
    other.valid.add(token);
    expect((await listOf(moved)).problems[0]?.message).toContain('--login');
  });

  it('gets the document of the client in the place of a registration, if it takes one', async () => {
    const clientMetadataUrl = 'https://host.example/client.json';
    const [taking, other] = [await serveOAuth(), await serveOAuth()];
    taking.documents.set(METADATA, {
      ...metadataOf(taking.origin),
      client_id_metadata_document_supported: true,
    });
    for (const server of [taking, other])
      await logIn(remoteOf(server, { clientMetadataUrl }).remote);
    expect(taking.forms[0]?.get('client_id')).toBe(clientMetadataUrl);
    expect(taking.seen).not.toContain('/register');
    expect(other.seen).toContain('/register');
  });

  it('uses the client that the operator registered', async () => {
    const server = await serveOAuth();
    const { remote } = remoteOf(server, { clientId: 'ours', scope: 'read' });
    await logIn(remote);
    expect(server.seen).not.toContain('/register');
    expect(server.forms[0]?.get('client_id')).toBe('ours');
  });
});

describe('a login that is attacked', () => {
  it('ignores a return with another state, and accepts the real one after it', async () => {
    const server = await serveOAuth();
    const { remote } = remoteOf(server);
    const statuses: number[] = [];
    await logIn(remote, async (page) => {
      const back = new URL(new URL(page).searchParams.get('redirect_uri') ?? '');
      back.search = 'code=evil&state=guessed';
      statuses.push((await fetch(back)).status);
      return openPage(page);
    });
    expect(statuses).toEqual([404]);
    expect(server.forms.map((form) => form.get('code'))).not.toContain('evil');
  });

  it.each([
    ['another issuer', { iss: 'https://evil.example.com' }, /iss/i],
    ['an error', { error: 'access_denied' }, /invalid_grant|access_denied|failed/],
  ])('fails if the page returns %s', async (name, returned, why) => {
    const server = await serveOAuth();
    server.returned = returned;
    const { remote, logins } = remoteOf(server);
    const open = async (page: string): Promise<number> => {
      if (name !== 'an error') return openPage(page);
      const { headers } = await fetch(page, { redirect: 'manual' });
      const back = new URL(headers.get('location') ?? '');
      back.searchParams.delete('code');
      return (await fetch(back)).status;
    };
    await expect(logIn(remote, open)).rejects.toThrow(why);
    expect(logins.texts.size).toBe(0);
  });

  it.each([
    ['a resource of another server', RESOURCE, { resource: 'https://evil.example.com/mcp' }],
    ['metadata of another issuer', METADATA, { issuer: 'https://evil.example.com' }],
    ['no S256', METADATA, { code_challenge_methods_supported: ['plain'] }],
    ['a token endpoint in the open', METADATA, { token_endpoint: 'http://192.0.2.1/token' }],
    [
      'a token endpoint at a private address',
      METADATA,
      { token_endpoint: 'https://10.0.0.1/token' },
    ],
    ['a login page that is a program', METADATA, { authorization_endpoint: 'file:///bin/sh' }],
    ['a login page in the open', METADATA, { authorization_endpoint: 'http://192.0.2.1/' }],
  ])('fails with %s, and no code or token is sent', async (_name, path, change) => {
    const server = await serveOAuth();
    const base = path === METADATA ? metadataOf(server.origin) : server.documents.get(path);
    server.documents.set(path, { ...base, ...change });
    const { remote, logins } = remoteOf(server);
    const shown: string[] = [];
    const open = (page: string): Promise<number> => {
      shown.push(page);
      return openPage(page);
    };
    await expect(logIn(remote, open)).rejects.toMatchObject({ code: 'REMOTE_FAILED' });
    expect(shown.filter((page) => !page.startsWith(server.origin))).toEqual([]);
    expect(server.forms).toEqual([]);
    expect(logins.texts.size).toBe(0);
  });

  it('ends when nobody logs in', async () => {
    const server = await serveOAuth();
    const { remote } = remoteOf(server);
    const login = remote.logIn?.({ show: () => {}, signal: AbortSignal.timeout(300) });
    await expect(login).rejects.toThrow('the login was not finished in time');
  });
});
