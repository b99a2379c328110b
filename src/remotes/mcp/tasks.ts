import { setTimeout as wait } from 'node:timers/promises';
import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client';
import { isRecord } from '../../../sandbox/wire/json.js';
import { toSdkType } from '../../plugin/mcp-source.js';
import type { RemoteCall } from '../remote.js';
import { REMOTE_LIMITS } from '../limits.js';

type RequestOptions = NonNullable<Parameters<Client['callTool']>[1]>;

/** Milliseconds between two questions for the state of a task. The server suggests them. */
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 5_000;
const MAX_ID = 1_000;

/** Whether a tool runs as a task only, as the versions 2025-11-25 and before of the protocol say it. */
export function requiresTask(entry: Readonly<Record<string, unknown>>): boolean {
  const { execution } = entry;
  return isRecord(execution) && execution['taskSupport'] === 'required';
}

/**
 * Runs a tool as a task: the server answers at once with the task's id, is asked for its state until it ends,
 * and then for its result. A call that is given up cancels the task.
 */
export async function callAsTask(
  client: Client,
  params: { readonly name: string; readonly arguments: RemoteCall['input'] },
  { signal, timeoutMs, onOutput }: RemoteCall,
  options: RequestOptions,
): Promise<unknown> {
  const ask = async (method: string, of: object, limits: RequestOptions): Promise<Answer> => {
    const answer = await client.request(toSdkType({ method, params: of }), ANY, limits);
    return isRecord(answer) ? answer : {};
  };
  const created = await ask('tools/call', { ...params, task: { ttl: timeoutMs } }, options);
  // A server may run it at once all the same.
  if (!isRecord(created['task'])) return created;
  const { taskId } = created['task'];
  if (typeof taskId !== 'string' || taskId.length > MAX_ID) throw new Error('its task has no id');
  try {
    let said: unknown;
    for (let state: Answer = created['task']; isWorking(state);) {
      await wait(pollMs(state), undefined, { signal });
      state = await ask('tasks/get', { taskId }, { signal, timeout: REMOTE_LIMITS.startMs });
      const { statusMessage } = state;
      if (typeof statusMessage === 'string' && statusMessage !== said) onOutput?.(statusMessage);
      said = statusMessage;
    }
    // It waits for the end of the task, during which the server may ask the client for input.
    return await ask('tasks/result', { taskId }, options);
  } catch (error) {
    // guard: task-cancelled-with-its-call
    if (signal.aborted) {
      const limits = { timeout: REMOTE_LIMITS.discoveryMs };
      await ask('tasks/cancel', { taskId }, limits).catch(() => {});
    }
    throw error;
  }
}

type Answer = Readonly<Record<string, unknown>>;

function isWorking({ status }: Answer): boolean {
  return status === 'working';
}

function pollMs({ pollInterval }: Answer): number {
  const asked = typeof pollInterval === 'number' ? pollInterval : 1_000;
  return Math.min(Math.max(asked, MIN_POLL_MS), MAX_POLL_MS);
}

/** Each part of an answer is checked at its use. */
const ANY: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'bulkhead', validate: (value) => ({ value }) },
};
