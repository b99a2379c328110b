// An MCP server over standard input, by hand, with a tool that runs as a task only. It writes the methods that it
// was asked into a file.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , file = ''] = process.argv;
const polls = new Map();
const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const taskOf = (taskId) => {
  const count = polls.get(taskId) ?? 0;
  polls.set(taskId, count + 1);
  const at = new Date(0).toISOString();
  const status = taskId === 'endless' || count < 3 ? 'working' : 'completed';
  return {
    taskId,
    status,
    statusMessage: `step ${Math.min(count, 2)}`,
    createdAt: at,
    lastUpdatedAt: at,
    ttl: 60_000,
    pollInterval: 1,
  };
};
const answers = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } },
    serverInfo: { name: 'tasks', version: '1' },
  }),
  'tools/list': () => ({
    tools: ['long', 'endless'].map((name) => ({
      name,
      inputSchema: { type: 'object' },
      execution: { taskSupport: 'required' },
    })),
  }),
  'tools/call': ({ name, task }) => (task === undefined ? undefined : { task: taskOf(name) }),
  'tasks/get': ({ taskId }) => taskOf(taskId),
  'tasks/result': ({ taskId }) => ({ content: [{ type: 'text', text: `result of ${taskId}` }] }),
  'tasks/cancel': ({ taskId }) => ({ ...taskOf(taskId), status: 'cancelled' }),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  appendFileSync(file, `${method}\n`);
  if (id === undefined) return;
  const result = answers[method]?.(params ?? {});
  if (result === undefined) send({ id, error: { code: -32601, message: 'Method not found' } });
  else send({ id, result });
});
