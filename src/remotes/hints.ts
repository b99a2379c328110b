import { isRecord } from '../../sandbox/wire/parse.js';
import type { RemoteHints } from './remote.js';

/** MCP's hints in whatever a server wrote. They are its word, and believed no more than that. */
export function readHints(value: unknown): RemoteHints {
  if (!isRecord(value)) return {};
  const { title } = value;
  const flags = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;
  return {
    ...(typeof title === 'string' && title !== '' ? { title: title.slice(0, MAX_TITLE) } : {}),
    ...Object.fromEntries(
      flags.flatMap((flag) => (typeof value[flag] === 'boolean' ? [[flag, value[flag]]] : [])),
    ),
  };
}

export const MAX_TITLE = 200;
