import type { CodePlaces, ThrownValue } from '../suggest/code-places.js';
import type { CliCapabilities } from './capabilities.js';
import type { Failure, FailureCode } from './failure.js';
import { spotOf } from './source-spot.js';

/** Failures of a tool's code that may come without a stack. */
const OF_TOOLS: ReadonlySet<FailureCode> = new Set([
  'TOOL_FAILED',
  'INVALID_TOOL',
  'DEADLINE_EXCEEDED',
  'RESULT_INVALID',
  'RESULT_TOO_LARGE',
]);

/**
 * Adds the place to a failure that has none: of a thrown value that is not an error, the statement that
 * throws it; else the function of the tool. It reads the code, so it takes as long as a build.
 */
export async function placeFailure(
  failure: Failure,
  { directory, tool }: { readonly directory: string; readonly tool: string },
  { findCodePlaces }: Pick<CliCapabilities, 'findCodePlaces'>,
): Promise<Failure> {
  if (!OF_TOOLS.has(failure.code) || spotOf(failure) !== undefined) return failure;
  const places = await findCodePlaces(directory).catch(() => undefined);
  if (places === undefined) return failure;
  const own = placeOfTool(places, tool);
  // A tool that returns a failure has a result.
  const isThrown = failure.code === 'TOOL_FAILED' && failure.result === undefined;
  const thrown = isThrown ? matching(places.throws, failure.message) : [];
  const at = thrown.length === 1 ? thrown[0]?.at : own;
  return at === undefined ? failure : { ...failure, at };
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
