// A server of one tool over MCP, by its argument: `sdk` is the official SDK alone, in this process, with
// no token and no check; anything else is the directory of a plugin with the same tool, which we serve with
// all checks. Prints its address, and its processor time in microseconds for each line that it reads.
import { createInterface } from 'node:readline';

const [, , what, token, directory] = process.argv;
const url = what === 'sdk' ? await serveSdk() : await serveOurs();
process.stdout.write(`${url}\n`);

createInterface({ input: process.stdin })
  .on('line', () => {
    const { user, system } = process.cpuUsage();
    process.stdout.write(`${user + system}\n`);
  })
  .on('close', () => process.exit(0));

async function serveSdk() {
  const { createMcpHandler, McpServer } = await import('@modelcontextprotocol/server');
  const { serve } = await import('@hono/node-server');
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
  return new Promise((resolve) => {
    serve(
      { fetch: (request) => handler.fetch(request), port: 0, hostname: '127.0.0.1' },
      ({ port }) => resolve(`http://127.0.0.1:${port}/mcp`),
    );
  });
}

async function serveOurs() {
  const dist = new URL('../dist/src/', import.meta.url);
  const { createEngine } = await import(new URL('index.js', dist).href);
  const { startServer } = await import(new URL('http/server.js', dist).href);
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const engine = await createEngine({
    plugins: [what],
    cacheDirectory: `${directory}/cache`,
    storageDirectory: `${directory}/storage`,
    audit: { file: `${directory}/audit.jsonl` },
    logger: silent,
  });
  const options = { port: 0, credentials: { call: token }, mcp: { path: '/mcp' } };
  const server = await startServer(engine, options, silent);
  return `${server.url}/mcp`;
}
