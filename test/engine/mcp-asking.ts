import type { CallClient, ServerLogMessage } from '../../src/plugin/call-client.js';
import { plainProgram } from './mcp-on-disk.js';

/** A server whose tools ask its client: `ask(method, params)` resolves with the result, or with `{ refused }`. */
export function askingProgram(call: string, before = ''): string {
  return plainProgram(
    call,
    `listed = [{ name: 'run', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }];
     globalThis.seen = [];
     const waiting = new Map();
     const askAs = (id, method, params) => new Promise((resolve) => {
       waiting.set(id, resolve);
       send({ id, method, params });
     });
     let asked = 0;
     const ask = (method, params = {}) => askAs('mine' + (asked += 1), method, params);
     const form = (message, properties = { name: { type: 'string' } }) =>
       ask('elicitation/create', { message, requestedSchema: { type: 'object', properties } });
     const sample = (text, more = {}) =>
       ask('sampling/createMessage', { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 5000, ...more });
     process.stdin.on('data', (chunk) => {
       for (const line of String(chunk).split('\\n').filter(Boolean)) {
         const message = JSON.parse(line);
         if (message.method === 'initialize') seen.push(message.params.capabilities);
         else if (message.method?.startsWith('notifications/roots')) seen.push(message.method);
         else if (message.method === undefined) {
           waiting.get(message.id)?.(message.error === undefined ? message.result : { refused: message.error.message });
           waiting.delete(message.id);
         }
       }
     });
     ${before}`,
  );
}

/** A client that answers at once, and remembers what it was asked. */
export interface FakeClient extends CallClient {
  readonly elicited: unknown[];
  readonly sampled: unknown[];
  readonly logged: ServerLogMessage[];
}

export function makeClient(own: Partial<CallClient> = {}): FakeClient {
  const elicited: unknown[] = [];
  const sampled: unknown[] = [];
  const logged: ServerLogMessage[] = [];
  return {
    elicit: async (params) => {
      elicited.push(params);
      return { action: 'accept', content: { name: 'Ann' } };
    },
    sample: async (params) => {
      sampled.push(params);
      return { role: 'assistant', model: 'm', content: { type: 'text', text: 'because' } };
    },
    log: (message) => void logged.push(message),
    ...own,
    elicited,
    sampled,
    logged,
  };
}
