import type { Json, JsonObject } from '../../sandbox/wire/messages.js';
import { isRecord } from '../../sandbox/wire/json.js';
import { BulkheadError, isBulkheadError } from '../errors.js';
import { canonicalJson } from '../canonical.js';
import { integrityOf } from '../plugin/integrity.js';
import { isToolName } from '../plugin/tool.js';
import { checkSchema } from '../schema/check.js';
import { REMOTE_LIMITS } from './limits.js';
import type { RemoteHints, RemoteProblem } from './remote.js';

/** A server as it describes itself. */
export interface Description<Tool> {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly version: string | undefined;
  readonly tools: readonly Tool[];
  readonly problems: readonly RemoteProblem[];
}

/** Remembers the last description of a server, which stays in use while the server fails. */
export interface Describer<Known> {
  readonly last: Known | undefined;
  /** Asks the server. Never rejects: returns the failure as a problem. */
  refresh(signal: AbortSignal): Promise<readonly RemoteProblem[]>;
}

export function makeDescriber<Known>(
  { id, where, timeoutMs }: { readonly id: string; readonly where: string; timeoutMs: number },
  describe: (signal: AbortSignal, last: Known | undefined) => Promise<Known>,
): Describer<Known> {
  let last: Known | undefined;
  return {
    get last() {
      return last;
    },
    refresh: async (signal) => {
      try {
        const timeout = AbortSignal.timeout(timeoutMs);
        last = await describe(AbortSignal.any([signal, timeout]), last);
        return [];
      } catch (error) {
        return [unreachable(id, where, error, last !== undefined)];
      }
    },
  };
}

function unreachable(id: string, where: string, error: unknown, stale: boolean): RemoteProblem {
  const cause = error instanceof Error && isBulkheadError(error.cause) ? error.cause : error;
  const why = (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '');
  return {
    code: isBulkheadError(cause) ? cause.code : 'REMOTE_FAILED',
    message: `${id} (${where}) did not list its tools: ${why.slice(0, REMOTE_LIMITS.maxErrorCharacters)}.${stale ? ' Its last list stays in use.' : ''}`,
  };
}

/** The fields of a tool that every protocol has. */
export interface ToolFields {
  readonly tool: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: RemoteHints;
}

/**
 * Reads a list of tools. A tool that is not valid, or that is listed twice, is a problem; the others
 * are still used. `read` may throw a `BulkheadError` to refuse a tool.
 */
export function readTools<Tool extends { readonly tool: string }>(
  entries: readonly unknown[],
  id: string,
  { schemaField, defaultSchema }: { readonly schemaField: string; defaultSchema?: JsonObject },
  read: (entry: Readonly<Record<string, unknown>>, fields: ToolFields) => Tool,
): { readonly tools: readonly Tool[]; readonly problems: readonly RemoteProblem[] } {
  const tools = new Map<string, Tool>();
  const problems: RemoteProblem[] = [];
  const refuse = (message: string, toolId?: string): number =>
    problems.push({ code: 'INVALID_TOOL', message, ...(toolId === undefined ? {} : { toolId }) });
  for (const [index, entry] of entries.slice(0, REMOTE_LIMITS.maxTools).entries()) {
    if (!isRecord(entry)) {
      refuse(`Tool ${index} of ${id} is not an object.`);
      continue;
    }
    const { name } = entry;
    if (!isToolName(name)) {
      refuse(`Tool ${index} of ${id} has no name of 1 to 128 characters without ":".`);
      continue;
    }
    if (tools.has(name)) {
      refuse(`${id} lists ${name} twice. The first definition is used.`, name);
      continue;
    }
    try {
      const { schema } = checkSchema(entry[schemaField] ?? defaultSchema, `${id}:${name}`);
      const description = cutText(entry['description'], REMOTE_LIMITS.maxDescriptionCharacters);
      const fields: ToolFields = {
        tool: name,
        description: description ?? '',
        inputSchema: schema,
        annotations: readHints(entry['annotations']),
      };
      tools.set(name, read(entry, fields));
    } catch (error) {
      if (!isBulkheadError(error)) throw error;
      problems.push({ code: error.code, message: error.message, toolId: name });
    }
  }
  if (entries.length > REMOTE_LIMITS.maxTools) {
    refuse(`${id} lists ${entries.length} tools. The first ${REMOTE_LIMITS.maxTools} are used.`);
  }
  return { tools: [...tools.values()], problems };
}

export const MAX_TITLE = 200;

const FLAGS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** Reads MCP's hints. The server's claims only: nothing verifies them. */
function readHints(value: unknown): RemoteHints {
  if (!isRecord(value)) return {};
  const title = cutText(value['title'], MAX_TITLE);
  return {
    ...(title === undefined ? {} : { title }),
    ...Object.fromEntries(
      FLAGS.flatMap((flag) => (typeof value[flag] === 'boolean' ? [[flag, value[flag]]] : [])),
    ),
  };
}

/** A text, cut to a length; `undefined` for anything else, and for an empty text. */
export function cutText(value: unknown, maxCharacters: number): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, maxCharacters) : undefined;
}

/** Whether a value is a web address: an address of another kind could run code or read a file. */
export function isWebUrl(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value);
}

export function hashOf(value: Json | object): string {
  return integrityOf(canonicalJson(value));
}

/** The failure of a server that answered, but not as its protocol requires. */
export function remoteFailed(remote: string, message: string, cause?: unknown): BulkheadError {
  return new BulkheadError('REMOTE_FAILED', message, { remote }, { cause });
}
