import { BulkheadError } from '../../errors.js';
import type { InstalledPlugin } from '../plugins/installed.js';
import type { GuestSource } from '../instance/guest-source.js';
import type { CallRecording } from '../types/recording.js';
import type { AcceptedPlugins } from '../types/settings.js';
import { parseRecording } from './recording.js';
import { replay, type ReplayedCode, type ReplayOptions, type ReplayVerdict } from './replay.js';

/** Replays a recording, with its own code or with that of an installed plugin. See `Engine.replay`. */
export async function replayRecorded(
  recorded: unknown,
  { current = false, ...options }: ReplayOptions,
  engine: {
    readonly guests: Pick<GuestSource, 'takeTapped'>;
    readonly lock: AcceptedPlugins | undefined;
    readonly installed: () => readonly InstalledPlugin[];
  },
): Promise<ReplayVerdict> {
  const recording = parseRecording(recorded);
  const code = current ? currentCode(recording, engine.installed()) : undefined;
  return replay(recording, engine.guests, engine.lock, options, code);
}

/** The code that runs the recorded tool now. Throws `INVALID_OPTIONS` if no installed plugin has it. */
function currentCode(
  { plugin, tool }: Pick<CallRecording, 'plugin' | 'tool'>,
  installed: readonly InstalledPlugin[],
): ReplayedCode {
  const entries = installed.flatMap((one) => (one.plugin.id === plugin ? one.entries : []));
  const entry = entries.find(({ tools }) => tools.some(({ listed }) => listed.tool === tool));
  const bundle = entry?.instances[0]?.bundle;
  if (bundle !== undefined) return bundle;
  const ids = installed.map((one) => one.plugin.id).join(', ') || 'no plugin';
  throw new BulkheadError(
    'INVALID_OPTIONS',
    entries.length === 0
      ? `The recording is of ${plugin}, and this is ${ids}. Name the directory of ${plugin}.`
      : `${plugin} does not have the recorded tool ${tool} now. Its problems: bulkhead check.`,
    { option: 'plugin' },
  );
}
