import { isRecord } from '../../../sandbox/wire/json.js';
import { visible } from '../../visible.js';
import type { FileEdit, PlacedServer } from './client-file.js';
import type { FormerEntry } from './former-entries.js';
import { putBackKeys } from './moved-keys.js';
import { commandLine } from './rewrite.js';

/** How an entry of ours leaves a client's file: as it was before `--import`, or not at all. */
export function restored(
  { path, entry }: PlacedServer,
  former: readonly FormerEntry[],
): { readonly edits: readonly FileEdit[]; readonly shown: string } {
  const place = path.map(visible).join('.');
  const removed = `- ${place}: ${commandLine(entry)}\n`;
  const before = former.find((one) => JSON.stringify(one.path) === JSON.stringify(path));
  if (before === undefined) return { edits: [{ path, value: undefined }], shown: removed };
  const { command, args, added, hadVariables } = before;
  const env = isRecord(entry) && isRecord(entry['env']) ? entry['env'] : {};
  const keys = Object.fromEntries(
    added.map((name) => {
      const value = env[name];
      return [name, typeof value === 'string' ? value : ''];
    }),
  );
  const hasOthers = hadVariables || Object.keys(env).some((name) => !added.includes(name));
  return {
    edits: [
      { path: [...path, 'command'], value: command },
      { path: [...path, 'args'], value: putBackKeys(args, keys) },
      ...(hasOthers
        ? added.map((name) => ({ path: [...path, 'env', name], value: undefined }))
        : [{ path: [...path, 'env'], value: undefined }]),
    ],
    shown: `${removed}+ ${place}: ${commandLine({ command, args })}\n`,
  };
}
