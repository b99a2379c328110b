// A server of one tool, by its argument: `mcp-sdk` and `vertesia-sdk` are the official SDKs alone, in this
// process, the first without token and check, the second with its own check of the caller's JWT; `mcp` and
// `vertesia` are ours with all checks, and the directories of a plugin with the same tool and of its state
// follow. Prints `{ url, token }`, and its processor time in microseconds for each line that it reads.
import { createInterface } from 'node:readline';
import { createServer } from 'node:http';

const [, , what, plugin, directory] = process.argv;
const TOKEN = 'a-token-of-the-bench,-32-letters';
const ISSUER = 'https://api.vertesia.io';
const kinds = {
  'mcp-sdk': serveMcpSdk,
  mcp: () => serveOurs({ credentials: { call: TOKEN }, mcp: { path: '/mcp' } }, '/mcp', TOKEN),
  'vertesia-sdk': serveVertesiaSdk,
  vertesia: serveVertesia,
};
process.stdout.write(`${JSON.stringify(await kinds[what]())}\n`);

createInterface({ input: process.stdin })
  .on('line', () => {
    const { user, system } = process.cpuUsage();
    process.stdout.write(`${user + system}\n`);
  })
  .on('close', () => process.exit(0));

async function serveMcpSdk() {
  const { createMcpHandler, McpServer } = await import('@modelcontextprotocol/server');
  const { z } = await import('zod');
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'bare', version: '1.0.0' });
    server.registerTool(
      'echo',
      { description: 'Says it again', inputSchema: z.object({ text: z.string().optional() }) },
      (input) => ({ content: [{ type: 'text', text: JSON.stringify(input) }] }),
    );
    return server;
  });
  return { url: `${await listen((request) => handler.fetch(request))}/mcp`, token: TOKEN };
}

async function serveVertesiaSdk() {
  const { keys, token } = await issue();
  globalThis.fetch = () => Promise.resolve(Response.json({ keys }));
  // It prints two lines for each call.
  console.log = () => {};
  const { createToolServer, ToolCollection } = await import('@vertesia/tools-sdk');
  const echo = {
    name: 'echo',
    description: 'Says it again',
    input_schema: { type: 'object', properties: { text: { type: 'string' } } },
    run: ({ tool_use }) =>
      Promise.resolve({ is_error: false, content: JSON.stringify(tool_use.tool_input) }),
  };
  const tools = new ToolCollection({
    name: 'bench',
    title: 'Bench',
    description: 'One tool',
    tools: [echo],
  });
  const app = createToolServer({ tools: [tools], disableHtml: true });
  return { url: `${await listen(app.fetch)}/api/tools`, token };
}

async function serveVertesia() {
  const { keys, token } = await issue();
  const server = createServer((_, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys })),
  );
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const jwks = `http://127.0.0.1:${server.address().port}/jwks`;
  const options = { vertesia: { path: '/tools' }, tokens: { jwks: [{ issuer: ISSUER, jwks }] } };
  return serveOurs(options, '/tools', token);
}

/** The public keys of an issuer, and a token of it. */
async function issue() {
  const { exportJWK, generateKeyPair, SignJWT } = await import('jose');
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const key = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
  const claims = {
    account: { id: 'bench', name: 'Bench' },
    endpoints: { studio: ISSUER, store: ISSUER },
  };
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', kid: 'one' })
    .setIssuer(ISSUER)
    .setSubject('bench')
    .setExpirationTime('1h')
    .sign(privateKey);
  return { keys: [key], token };
}

async function listen(fetch) {
  const { serve } = await import('@hono/node-server');
  return new Promise((resolve) => {
    serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
      resolve(`http://127.0.0.1:${port}`),
    );
  });
}

async function serveOurs(offer, path, token) {
  const dist = new URL('../dist/src/', import.meta.url);
  const { createEngine } = await import(new URL('index.js', dist).href);
  const { startServer } = await import(new URL('http/server.js', dist).href);
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const engine = await createEngine({
    plugins: [plugin],
    cacheDirectory: `${directory}/cache`,
    storageDirectory: `${directory}/storage`,
    audit: { file: `${directory}/audit.jsonl` },
    logger: silent,
  });
  const server = await startServer(engine, { port: 0, ...offer }, silent);
  return { url: `${server.url}${path}`, token };
}
