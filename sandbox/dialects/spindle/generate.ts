import type { HostCall, HostCalls } from './host-calls.js';
import { makeObserve } from './observe.js';
import type { Events } from './events.js';
import { readField, strict } from './strict.js';

const PERMISSION = 'generation';

/**
 * `spindle.generate`: model calls through the host (Spindle generation). A signal in the input is
 * not sent to the host. If it aborts, the guest cancels the call and rejects it with an AbortError.
 */
export function makeGenerate(calls: HostCalls, events: Events): object {
  const whole = (member: string) => {
    const call: HostCall = { name: `spindle.generate.${member}`, permission: PERMISSION };
    return (input?: unknown, ...rest: unknown[]): Promise<unknown> =>
      calls.request(call, [withoutSignal(input), ...rest], readField(input, 'signal'));
  };
  // All extensions of a process share its prototype, which a stream exposes.
  // guard: spindle-streams-hardened
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
    calls.request(call, [withoutSignal(input), ...rest], readField(input, 'signal'));
}

/** `spindle.imageGen.generateStream(input)`: streams the events of the host's answer. */
export function makeImageStream(calls: HostCalls): (input?: unknown) => AsyncGenerator {
  const call: HostCall = { name: 'spindle.imageGen.generateStream', permission: 'image_gen' };
  return async function* (input) {
    const answer = await calls.request(call, [withoutSignal(input)], readField(input, 'signal'));
    yield* Array.isArray(answer) ? answer : [];
  };
}

/**
 * The chunks of an answer. The host answers with a list of chunks, or with one answer, which
 * becomes one chunk. The last chunk is `done`.
 */
async function* streamOf(
  member: 'raw' | 'quiet',
  input: unknown,
  calls: HostCalls,
): AsyncGenerator {
  const call: HostCall = { name: `spindle.generate.${member}Stream`, permission: PERMISSION };
  const args = [withoutSignal(input)];
  const signal = readField(input, 'signal');
  const chunks = await calls.request({ ...call, otherwise: () => null }, args, signal);
  if (Array.isArray(chunks)) {
    yield* chunks;
    return;
  }
  const single: HostCall = { name: `spindle.generate.${member}`, permission: PERMISSION };
  const answer = chunks ?? (await calls.request(single, args, signal));
  const content: unknown = typeof answer === 'string' ? answer : readField(answer, 'content');
  if (typeof content === 'string' && content !== '') yield { type: 'token', token: content };
  const rest = typeof answer === 'object' && answer !== null ? answer : { content };
  yield { ...rest, type: 'done' };
}

function withoutSignal(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([key]) => key !== 'signal'));
}
