import { RawJson } from '../../../sandbox/wire/service.js';
import type { Json } from '../../../sandbox/wire/messages.js';
import { type BulkheadError, isBulkheadError } from '../../errors.js';
import type { LentPower } from './lent.js';
import type { Refusals } from './refusals.js';

export interface RunSpec {
  /** The id of the plugin that asks. */
  readonly plugin: string;
  /** Aborts where nobody waits for it any more. */
  readonly signal: AbortSignal;
  /** What to say then. */
  readonly stopped: () => BulkheadError;
  readonly refusals: Refusals;
  readonly maxResultBytes: number;
}

/**
 * Runs the host's own code for a power, until its deadline, and answers a copy of what it gave. What
 * it does after that is the host's affair: its signal was aborted, and its answer is not read.
 */
export async function runHandler(
  power: LentPower,
  args: unknown,
  { plugin, signal, stopped, refusals, maxResultBytes }: RunSpec,
): Promise<RawJson> {
  const { name, permission, timeoutMs } = power;
  const deadline = new AbortController();
  const ended = AbortSignal.any([signal, deadline.signal]);
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const over = new Promise<never>((_, reject) => {
    const tell = (): void =>
      reject(
        signal.aborted
          ? stopped()
          : refusals.failed(name, `it did not finish within ${timeoutMs} ms`),
      );
    if (ended.aborted) tell();
    else ended.addEventListener('abort', tell, { once: true });
  });
  try {
    const context = Object.freeze({ plugin, permission, signal: ended });
    const begun = Promise.resolve().then(() => power.handler(isJson(args) ? args : null, context));
    return copyResult(await Promise.race([begun, over]), power, refusals, maxResultBytes);
  } catch (error) {
    throw isBulkheadError(error) ? error : refusals.failed(name, wordsOf(error), error);
  } finally {
    clearTimeout(timer);
    // Whoever still works on it is told that nobody waits.
    deadline.abort();
    over.catch(() => {});
  }
}

/** It came off the wire, and went through nothing but a validator. */
function isJson(args: unknown): args is Json {
  return args !== undefined;
}

function copyResult(
  result: unknown,
  { name, checkResult }: LentPower,
  refusals: Refusals,
  maxResultBytes: number,
): RawJson {
  const text = JSON.stringify(result ?? null) ?? 'null';
  if (Buffer.byteLength(text) > maxResultBytes) {
    throw refusals.limit('maxResultBytes', `the result of ${name} is larger`);
  }
  const checked = checkResult(JSON.parse(text));
  if (checked.ok) return new RawJson(JSON.stringify(checked.value));
  throw refusals.failed(name, 'the host gave a result that its own schema does not allow', {
    problems: checked.problems,
  });
}

/** The words of what the host threw, where it means them for a plugin. */
function wordsOf(error: unknown): string {
  const meant = error instanceof Error && 'expose' in error && error.expose === true;
  return meant ? error.message.replace(/\.$/, '') : "the host's code for it failed";
}
