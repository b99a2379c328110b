import type { HostCalls } from './host-calls.js';
import type { Listeners } from './listeners.js';
import { readField } from './read-field.js';
import { strict } from './strict.js';

/**
 * `spindle.frontendProcesses` and `spindle.backendProcesses`: long-lived helpers that the host runs.
 * A host that runs none says so when one is spawned, and has none to list.
 */
export function makeProcesses(
  kind: 'frontendProcesses' | 'backendProcesses',
  calls: HostCalls,
  listeners: Listeners,
): object {
  const at = `spindle.${kind}`;
  const stop = async (...args: unknown[]): Promise<void> => {
    await calls.ask({ name: `${at}.stop` }, args);
  };
  const get = (processId: unknown): Promise<unknown> =>
    calls.ask({ name: `${at}.get`, otherwise: () => null }, [processId]);
  const send = (...args: unknown[]): void => calls.tell({ name: `${at}.send` }, args);

  return strict(at, {
    spawn: async (options: unknown): Promise<object> => {
      const info = await calls.ask({ name: `${at}.spawn` }, [options]);
      const processId: unknown = readField(info, 'processId');
      return strict(`${at} handle`, {
        processId,
        entry: readField(info, 'entry'),
        kind: readField(info, 'kind'),
        key: readField(info, 'key'),
        info,
        send: (payload: unknown): void => send(processId, payload),
        stop: (detail?: unknown): Promise<void> => stop(processId, detail),
        refresh: (): Promise<unknown> => get(processId),
      });
    },
    list: (filter?: unknown): Promise<unknown> =>
      calls.ask({ name: `${at}.list`, otherwise: () => [] }, [filter]),
    get,
    send,
    stop,
    onLifecycle: listeners.adder(`${kind}.lifecycle`, `${at}.onLifecycle`),
    onMessage: listeners.adder(`${kind}.message`, `${at}.onMessage`),
  });
}
