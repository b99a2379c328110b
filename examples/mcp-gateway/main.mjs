// An MCP server for a team: each member has a token, and storage and approvals of their own.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createEngine } from 'bulkhead';
import { createMcpHandler } from 'bulkhead/mcp';

const storageDirectory = process.env.DATA ?? mkdtempSync(join(tmpdir(), 'mcp-gateway-'));
mkdirSync(storageDirectory, { recursive: true });
const engine = await createEngine({
  plugins: [fileURLToPath(new URL('../expenses', import.meta.url))],
  grant: 'declared',
  tolerance: 'default',
  isolation: { expenses: 'tenant' },
  storageDirectory,
  audit: { file: join(storageDirectory, 'audit.jsonl') },
});

// Your list of members goes here. A handler serves one tenant, so that no session is shared.
const hash = (text) => createHash('sha256').update(text).digest();
const members = ['ann', 'bob'].map((name) => {
  const token = randomBytes(24).toString('base64url');
  const handler = createMcpHandler(engine, { tenant: name, asker: name, name: 'team' });
  return { name, token, digest: hash(token), handler };
});

const MAX_BYTES = 1_000_000;

async function answer(request) {
  const { authorization = '', origin, host } = request.headers;
  const given = hash(authorization.replace(/^Bearer /, ''));
  const member = members.find(({ digest }) => timingSafeEqual(digest, given));
  if (member === undefined) return new Response('no such token', { status: 401 });
  // A page of another origin, or one that reached this server by another name, is not a client.
  if (origin !== undefined || host !== address) return new Response('no', { status: 403 });
  if (!request.url.startsWith('/mcp')) return new Response('not found', { status: 404 });
  if (!(Number(request.headers['content-length'] ?? 0) <= MAX_BYTES))
    return new Response('too large', { status: 413 });
  const init = { method: request.method, headers: request.headers };
  if (request.method === 'POST') init.body = await buffer(request);
  return member.handler.fetch(new Request(`http://${address}${request.url}`, init));
}

const server = createServer(async (request, response) => {
  try {
    const { status, headers, body } = await answer(request);
    response.writeHead(status, Object.fromEntries(headers));
    if (body === null) response.end();
    else await pipeline(Readable.fromWeb(body), response);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    response.destroy();
  }
});
await new Promise((resolve) => server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', resolve));
const address = `127.0.0.1:${server.address().port}`;
for (const { name, token } of members)
  process.stdout.write(`${name}: http://${address}/mcp, token ${token}\n`);
process.stdout.write(
  `to answer a question: npx bulkhead approvals --storage-directory ${storageDirectory}\n`,
);

process.once('SIGTERM', async () => {
  server.close();
  await Promise.all(members.map(({ handler }) => handler.close()));
  await engine.close();
  process.exit(0);
});
