import { makeFailure, WireError } from '../../../../sandbox/wire/failure.js';
import type { Peer } from '../../../../sandbox/wire/peer.js';
import type { ByteSource } from '../../../../sandbox/wire/streams.js';

/** A storage of one file `a`, whose content is `kept`. What is asked of it is noted down. */
export async function store(
  params: Record<string, unknown>,
  peer: Peer,
  notes: string[],
): Promise<unknown> {
  const { body, ...asked } = params;
  const sent = typeof body === 'number' ? await textOf(peer.acceptStream(body)) : undefined;
  notes.push(`${JSON.stringify(asked)}${sent === undefined ? '' : ` ${sent}`}`);
  const entry = { name: 'a', kind: 'file', bytes: 4, modifiedMs: 1_700_000_000_000 };
  if (asked['path'] === 'missing')
    throw refusal('STORAGE_FAILED', 'ENOENT: missing does not exist.');
  switch (asked['op']) {
    case 'read':
      return { body: peer.openStream(once(Buffer.from('kept ✓'))), bytes: 8 };
    case 'list':
      return [entry];
    case 'stat':
      return asked['path'] === 'gone' ? null : entry;
    case 'delete':
      return { done: true, generation: 1 };
    case 'usage':
      return { bytes: 4, files: 1, maxBytes: 100, maxFiles: 10 };
    default:
      return null;
  }
}

/** Gives back what a power was asked. */
export function lend({ name, arguments: given }: Record<string, unknown>): unknown {
  if (name === 'broken') throw refusal('POWER_FAILED', 'broken did not work');
  return { value: { name, given } };
}

function refusal(code: 'STORAGE_FAILED' | 'POWER_FAILED', message: string): WireError {
  return new WireError(makeFailure('BulkheadError', message, { code, stack: '/host/path.js:1:1' }));
}

function once(bytes: Uint8Array): ByteSource {
  const left = [bytes];
  return { pull: async () => left.shift(), cancel: () => {} };
}

async function textOf(source: ByteSource): Promise<string> {
  const parts: Uint8Array[] = [];
  for (let part = await source.pull(); part !== undefined; part = await source.pull()) {
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
