import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { isRecord } from '../../../sandbox/wire/json.js';
import { visible } from '../../visible.js';
import { usageError } from '../failure.js';
import type { Client } from './clients.js';

/** How a client starts a server. */
export interface ServerEntry {
  readonly type?: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
}

/** The servers that a client's file names; all values are the file's own, unchecked. */
export function serversIn(text: string, client: Client): Readonly<Record<string, unknown>> {
  const errors: ParseError[] = [];
  const value: unknown =
    text.trim() === '' ? {} : parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split('\n').length;
    throw unreadable(client, `line ${line} is not JSON (${printParseErrorCode(first.error)})`);
  }
  if (!isRecord(value)) throw unreadable(client, 'it is not an object');
  const servers = value[client.key] ?? {};
  if (!isRecord(servers)) throw unreadable(client, `its ${client.key} is not an object`);
  return servers;
}

/** The text with these entries set, or removed if `undefined`. All else stays, with comments and spaces. */
export function withEntries(
  text: string,
  { key }: Client,
  entries: Readonly<Record<string, ServerEntry | undefined>>,
): string {
  let changed = text.trim() === '' ? '{}\n' : text;
  for (const [name, entry] of Object.entries(entries)) {
    const edits = modify(changed, [key, name], entry, {
      formattingOptions: { insertSpaces: true, tabSize: 2, eol: eolOf(text) },
    });
    changed = applyEdits(changed, edits);
  }
  return changed;
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

function unreadable({ title, file }: Client, why: string): Error {
  return usageError(
    '--install',
    `The configuration of ${title} cannot be changed: in ${visible(file)}, ${why}. Mend the file first.`,
  );
}
