// A server that ends during each first run of a tool: `node ending-server.mjs FILE`. FILE has a line for each run.
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , file = ''] = process.argv;
const HINTS = { reads: { readOnlyHint: true }, repeats: { idempotentHint: true }, writes: {} };
const send = (message) =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') {
    const serverInfo = { name: 'ending', version: '1' };
    send({
      id,
      result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo },
    });
  } else if (method === 'tools/list') {
    const tools = Object.entries(HINTS).map(([name, annotations]) => ({
      name,
      annotations,
      inputSchema: { type: 'object' },
    }));
    send({ id, result: { tools } });
  } else if (method === 'tools/call') {
    appendFileSync(file, `${params.name}\n`);
    const runs = readFileSync(file, 'utf8').split('\n').length - 1;
    if (runs === 1 || params.arguments.always === true) process.exit(0);
    send({ id, result: { content: [{ type: 'text', text: `run ${runs}` }] } });
  } else if (id !== undefined) {
    send({ id, error: { code: -32_601, message: 'unknown' } });
  }
});
