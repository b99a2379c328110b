import type { EngineOptions } from '../engine/types/options.js';
import type { CliCapabilities } from './capabilities.js';
import { visible } from '../visible.js';
import { usageError } from './failure.js';

/** `--inspect 9230`. Throws `INVALID_OPTIONS`. */
export function parseInspectorPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw usageError('--inspect', `--inspect takes a port from 0 to 65535, not ${visible(text)}`);
}

const USUAL_PORT = 9229;

/** The engine's option for `--inspect`, which says at once what the call gives up. */
export function inspectorOption(
  settings: InspectorSettings,
  { stderr }: Pick<CliCapabilities, 'stderr'>,
): Pick<EngineOptions, 'inspector'> {
  const { inspect } = settings;
  if (inspect === undefined) return {};
  const other = INCOMPATIBLE.find((name) => settings[name] !== undefined);
  if (other !== undefined) {
    const option = `--${other.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw usageError('--inspect', `--inspect does not work together with ${option}; remove one`);
  }
  return {
    inspector: {
      port: inspect === true ? USUAL_PORT : inspect,
      onListening: (url) => {
        void stderr.write(
          [
            "warning  The plugin runs without Node's permission model and without deadlines.",
            'warning  Who knows this address can run code in the guest:',
            `debugger ${url}`,
            'The call waits for it. In VS Code run "Attach to the plugin" and paste the address; in Chrome open',
            `devtools://devtools/bundled/js_app.html?${url.replace('://', '=')}`,
            '',
          ].join('\n'),
        );
      },
    },
  };
}

/** Options that need deadlines, no guest, or another one. */
const INCOMPATIBLE = [
  'timeout',
  'ask',
  'dryRun',
  'record',
  'lock',
  'packages',
  'allowHost',
] as const;

export interface InspectorSettings extends Partial<Record<(typeof INCOMPATIBLE)[number], unknown>> {
  /** `true`: the usual port. */
  readonly inspect?: number | true;
}
