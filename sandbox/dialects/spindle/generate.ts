import type { HostCall, HostCalls } from './host-calls.js';
import { makeObserve } from './observe.js';
import type { Events } from './events.js';
import { readField } from './read-field.js';
import { strict } from './strict.js';

const PERMISSION = 'generation';

/**
 * `spindle.generate`: calls of a model that the host makes (Spindle generation). A signal in the
 * input does not cross: aborting it gives up the call, which then rejects with an AbortError.
 */
export function makeGenerate(calls: HostCalls, events: Events): object {
  const whole = (member: string) => {
    const call: HostCall = { name: `spindle.generate.${member}`, permission: PERMISSION };
    return (input?: unknown, ...rest: unknown[]): Promise<unknown> =>
      calls.ask(call, [withoutSignal(input), ...rest], readField(input, 'signal'));
  };
  // All extensions of a process take their streams from it, and a stream leads to its prototype.
  harden(streamOf);
  const streamed = (member: 'raw' | 'quiet') => (input?: unknown) => streamOf(member, input, calls);

  return strict('spindle.generate', {
    raw: whole('raw'),
    quiet: whole('quiet'),
    batch: whole('batch'),
    assemble: whole('assemble'),
    quietTracked: whole('quietTracked'),
    dryRun: whole('dryRun'),
    rawStream: streamed('raw'),
    quietStream: streamed('quiet'),
    observe: makeObserve(events),
  });
}

/** `spindle.assemble(input, userId)`. */
export function makeAssemble(calls: HostCalls): (...args: unknown[]) => Promise<unknown> {
  const call: HostCall = { name: 'spindle.assemble', permission: PERMISSION };
  return (input, ...rest) =>
    calls.ask(call, [withoutSignal(input), ...rest], readField(input, 'signal'));
}

/** `spindle.imageGen.generateStream(input)`: what the host answers with, one event after the other. */
export function makeImageStream(calls: HostCalls): (input?: unknown) => AsyncGenerator {
  const call: HostCall = { name: 'spindle.imageGen.generateStream', permission: 'image_gen' };
  return async function* (input) {
    const answer = await calls.ask(call, [withoutSignal(input)], readField(input, 'signal'));
    yield* Array.isArray(answer) ? answer : [];
  };
}

/**
 * The chunks of an answer. A host answers a call as a whole: with a list of chunks, or with the
 * answer, which then is one chunk; either way the last is `done`.
 */
async function* streamOf(
  member: 'raw' | 'quiet',
  input: unknown,
  calls: HostCalls,
): AsyncGenerator {
  const call: HostCall = { name: `spindle.generate.${member}Stream`, permission: PERMISSION };
  const args = [withoutSignal(input)];
  const signal = readField(input, 'signal');
  const chunks = await calls.ask({ ...call, otherwise: () => null }, args, signal);
  if (Array.isArray(chunks)) {
    yield* chunks;
    return;
  }
  const single: HostCall = { name: `spindle.generate.${member}`, permission: PERMISSION };
  const answer = chunks ?? (await calls.ask(single, args, signal));
  const content: unknown = typeof answer === 'string' ? answer : readField(answer, 'content');
  if (typeof content === 'string' && content !== '') yield { type: 'token', token: content };
  const rest = typeof answer === 'object' && answer !== null ? answer : { content };
  yield { ...rest, type: 'done' };
}

function withoutSignal(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([key]) => key !== 'signal'));
}
