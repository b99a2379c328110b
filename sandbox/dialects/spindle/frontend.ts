import type { HostCalls } from './host-calls.js';
import type { Listeners } from './listeners.js';
import { makeProcesses } from './processes.js';
import { strict } from './strict.js';

/** What goes to and comes from the extension's own page, which runs in a browser. */
export function makeFrontend(
  calls: HostCalls,
  listeners: Listeners,
): Readonly<Record<string, unknown>> {
  return {
    sendToFrontend: (...args: unknown[]): void =>
      calls.tell({ name: 'spindle.sendToFrontend' }, args),
    onFrontendMessage: listeners.adder('frontendMessage', 'spindle.onFrontendMessage'),
    frontendProcesses: makeProcesses('frontendProcesses', calls, listeners),
    frontendCapabilities: strict('spindle.frontendCapabilities', {
      declare: (capability: unknown): (() => void) => {
        if (capability !== 'message_tag_interceptor') {
          throw new Error(`Unsupported frontend runtime capability: ${String(capability)}`);
        }
        calls.tell({ name: 'spindle.frontendCapabilities.declare' }, [capability]);
        return () => undefined;
      },
    }),
  };
}
