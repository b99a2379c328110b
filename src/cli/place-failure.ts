import { join } from 'node:path';
import { missingFileIn } from '../check/missing-file.js';
import { placeInSource } from '../check/place-in-source.js';
import type { DeniedUse } from '../engine/types/result.js';
import { formats } from '../formats/table.js';
import type { CodePlaces, ThrownValue } from '../suggest/code-places.js';
import type { CliCapabilities } from './capabilities.js';
import type { Failure, FailureCode } from './failure.js';
import { hasOwnSpot, spotOf } from './source-spot.js';

/** Failures of a tool's code that may come without a stack. */
const OF_TOOLS: ReadonlySet<FailureCode> = new Set([
  'TOOL_FAILED',
  'INVALID_TOOL',
  'INVALID_SCHEMA',
  'DEADLINE_EXCEEDED',
  'GUEST_OUT_OF_MEMORY',
  'RESULT_INVALID',
  'RESULT_TOO_LARGE',
]);

export interface FailedCall {
  readonly directory: string;
  readonly tool: string;
  /** What the plugin was denied during the call. */
  readonly denied?: readonly DeniedUse[] | undefined;
}

/**
 * Adds the place to a failure that has none: of a thrown value that is not an error, the statement that
 * throws it; else the function of the tool. It reads the code, so it takes as long as a build.
 */
export async function placeFailure(
  failure: Failure,
  { directory, tool, denied = [] }: FailedCall,
  { findCodePlaces, readFile }: Pick<CliCapabilities, 'findCodePlaces' | 'readFile'>,
): Promise<Failure> {
  const read = (file: string): Promise<string> => readFile(join(directory, file)).catch(() => '');
  const isNotBuilt =
    failure.code === 'BUNDLE_FAILED' || failure.message.includes('The plugin cannot be bundled: ');
  if (isNotBuilt && spotOf(failure) === undefined) {
    const [, named] = / ([^\s:]+\.[cm]?[jt]sx?:\d+:\d+): /.exec(failure.message) ?? [];
    const at = named ?? (await placeOfMissingFile(failure, read));
    return at === undefined ? failure : { ...failure, at };
  }
  if (!OF_TOOLS.has(failure.code) || hasOwnSpot(failure)) return failure;
  if (wasLoading(failure)) return failure;
  const [refused] = denied.flatMap(({ at }) => (at === undefined ? [] : [at]));
  // A tool that catches a denial usually returns its message.
  if (failure.result !== undefined && refused !== undefined) return { ...failure, at: refused };
  const wrong = await placeOfExports(failure, read);
  if (wrong !== undefined) return { ...failure, at: wrong };
  const places = await findCodePlaces(directory).catch(() => undefined);
  if (places === undefined) return failure;
  const own = placeOfTool(places, tool);
  if (failure.code === 'INVALID_SCHEMA' && own !== undefined) {
    const [file = ''] = own.split(':');
    // A word that is proposed may be elsewhere.
    const message = failure.message.replace(/ Did you mean .*$/, '');
    const spot = placeInSource({ message }, await read(file));
    return { ...failure, at: spot === undefined ? own : `${file}:${spot.line}:${spot.column}` };
  }
  // A tool that returns a failure has a result.
  const isThrown = failure.code === 'TOOL_FAILED' && failure.result === undefined;
  const thrown = isThrown ? matching(places.throws, failure.message) : [];
  const at = thrown.length === 1 ? thrown[0]?.at : own;
  return at === undefined ? failure : { ...failure, at };
}

/** Whether no tool ran yet. */
function wasLoading({ code, message }: Failure): boolean {
  if (code === 'GUEST_OUT_OF_MEMORY') return !message.includes(' ended during the call');
  return (
    code === 'DEADLINE_EXCEEDED' && / (?:did not say what|was not loaded after) /.test(message)
  );
}

/** Where the manifest names a file that the plugin lacks. */
async function placeOfMissingFile(
  { message }: Failure,
  read: (file: string) => Promise<string>,
): Promise<string | undefined> {
  const missing = missingFileIn(message);
  if (missing === undefined) return undefined;
  for (const manifest of new Set(formats.map(({ manifestFile }) => manifestFile))) {
    const spot = placeInSource({ message: JSON.stringify(missing) }, await read(manifest));
    if (spot !== undefined) return `${manifest}:${spot.line}:${spot.column}`;
  }
  return undefined;
}

/** Where a module should export its tools: it names them, exports something else, or begins. */
async function placeOfExports(
  { code, message }: Failure,
  read: (file: string) => Promise<string>,
): Promise<string | undefined> {
  const [, file] = /^([^\s:]+\.[cm]?[jt]sx?): /.exec(message) ?? [];
  if (code !== 'INVALID_TOOL' || file === undefined) return undefined;
  const lines = (await read(file)).split('\n');
  const named = lines.findIndex((line) => /\btools\b\s*[:=]|^export default\b/.test(line));
  return `${file}:${Math.max(named, 0) + 1}:1`;
}

/** A caller may name a tool with its plugin: `weather:now`, `weather__now`. */
function placeOfTool({ tools }: CodePlaces, tool: string): string | undefined {
  return tools.get(tool) ?? tools.get(tool.replace(/^.*(?::|__)/, ''));
}

/** The throws that fit the message: by their texts, else those of values without text. */
function matching(throws: readonly ThrownValue[], message: string): readonly ThrownValue[] {
  const exact = throws.filter(({ texts }) => texts !== undefined && contains(message, texts));
  return exact.length > 0 ? exact : throws.filter(({ texts }) => texts === undefined);
}

/** Whether a text has these parts in this order. */
function contains(text: string, parts: readonly string[]): boolean {
  let from = 0;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return parts.some((part) => part !== '');
}
