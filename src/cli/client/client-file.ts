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

/** A server that a client's file names. */
export interface PlacedServer {
  readonly name: string;
  /** The place of its entry in the file. */
  readonly path: readonly string[];
  /** The entry, unchecked. */
  readonly entry: unknown;
}

/** The servers that a client's file names; all values are the file's own, unchecked. */
export function serversIn(text: string, client: Client): Readonly<Record<string, unknown>> {
  const servers = fieldsIn(text, client)[client.key] ?? {};
  if (!isRecord(servers)) throw unreadable(client, `its ${client.key} is not an object`);
  return servers;
}

/** The same servers with their places, and those of single projects. */
export function placedServersIn(text: string, client: Client): readonly PlacedServer[] {
  const own = placed([client.key], serversIn(text, client));
  const projects = fieldsIn(text, client)[PROJECTS];
  if (client.hasProjects !== true || !isRecord(projects)) return own;
  const ofProjects = Object.entries(projects).flatMap(([project, fields]) => {
    const servers = isRecord(fields) ? fields[client.key] : undefined;
    return isRecord(servers) ? placed([PROJECTS, project, client.key], servers) : [];
  });
  return [...own, ...ofProjects];
}

const PROJECTS = 'projects';

function placed(
  at: readonly string[],
  servers: Readonly<Record<string, unknown>>,
): readonly PlacedServer[] {
  return Object.entries(servers).map(([name, entry]) => ({ name, path: [...at, name], entry }));
}

function fieldsIn(text: string, client: Client): Readonly<Record<string, unknown>> {
  const errors: ParseError[] = [];
  const value: unknown =
    text.trim() === '' ? {} : parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split('\n').length;
    throw unreadable(client, `line ${line} is not JSON (${printParseErrorCode(first.error)})`);
  }
  if (!isRecord(value)) throw unreadable(client, 'it is not an object');
  return value;
}

/** A value of the file to set, or to remove if `undefined`. */
export interface FileEdit {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** The text with these edits. All else stays, with comments and spaces. */
export function withEdits(text: string, edits: readonly FileEdit[]): string {
  let changed = text.trim() === '' ? '{}\n' : text;
  for (const { path, value } of edits) {
    const changes = modify(changed, [...path], value, {
      formattingOptions: { insertSpaces: true, tabSize: 2, eol: eolOf(text) },
    });
    changed = applyEdits(changed, changes);
  }
  return changed;
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

function unreadable({ title, file }: Client, why: string): Error {
  return usageError(
    'client',
    `The configuration of ${title} cannot be changed: in ${visible(file)}, ${why}. Mend the file first.`,
  );
}
