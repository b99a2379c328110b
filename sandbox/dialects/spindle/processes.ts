import type { HostCalls } from './host-calls.js';
import type { Listeners } from './callbacks.js';
import { readField, strict } from './strict.js';

/**
 * `spindle.frontendProcesses` and `spindle.backendProcesses`: long-lived helpers that the host
 * runs. If the host runs none, `spawn` rejects and the list is empty.
 */
export function makeProcesses(
  kind: 'frontendProcesses' | 'backendProcesses',
  calls: HostCalls,
  listeners: Listeners,
): object {
  const at = `spindle.${kind}`;
  const stop = async (...args: unknown[]): Promise<void> => {
    await calls.request({ name: `${at}.stop` }, args);
  };
  const get = (processId: unknown): Promise<unknown> =>
    calls.request({ name: `${at}.get`, otherwise: () => null }, [processId]);
  const send = (...args: unknown[]): void => calls.send({ name: `${at}.send` }, args);

  return strict(at, {
    spawn: async (options: unknown): Promise<object> => {
      const info = await calls.request({ name: `${at}.spawn` }, [options]);
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
      calls.request({ name: `${at}.list`, otherwise: () => [] }, [filter]),
    get,
    send,
    stop,
    onLifecycle: listeners.adder(`${kind}.lifecycle`, `${at}.onLifecycle`),
    onMessage: listeners.adder(`${kind}.message`, `${at}.onMessage`),
  });
}
