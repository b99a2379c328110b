import type { CarriedRequests } from '../engine/call/carried-requests.js';
import { collect } from '../brokers/powers/bytes.js';
import { messageOf } from '../errors.js';
import type { SigningKey } from '../keys/signing-key.js';
import { type Asked, type AskedAnswer, readAsked, textOfAnswer } from './asked.js';
import type { Bodies, BodyReference } from './bodies.js';
import type { Cell } from './connection.js';
import { MAX_MESSAGE_BYTES } from './envelope.js';
import { sealFrame } from './frame.js';
import { tenantToken } from './subjects.js';

/** What a runner asked, in a message about a running call. */
export interface AskMessage {
  /** Unguessable, and used once. */
  readonly id: string;
  /** The question as JSON, or where it is. */
  readonly asked: string | BodyReference;
}

export interface AnswererSpec {
  readonly cell: Cell;
  readonly key: SigningKey;
  readonly bodies: Bodies;
}

export interface AskingCall {
  /** The call and its attempt, as its reply subject names them. */
  readonly token: string;
  readonly runner: string;
  readonly tenant: string | undefined;
  readonly requests: CarriedRequests;
  /** Aborts when the call has ended. */
  readonly signal: AbortSignal;
}

/** Answers the questions of runners about running calls. An answer is signed, and goes to that runner alone. */
export type Answerer = (call: AskingCall, message: AskMessage) => Promise<void>;

/** Bytes of a power's result at most. */
const MAX_RESULT_BYTES = 32 * 1024 * 1024;

export function makeAnswerer({ cell, key, bodies }: AnswererSpec): Answerer {
  return async ({ token, runner, tenant, requests, signal }, { id, asked }) => {
    const answer = await answerOf(requests, asked, bodies, signal);
    if (signal.aborted) return;
    const text = textOfAnswer(answer);
    const content =
      Buffer.byteLength(text) <= MAX_MESSAGE_BYTES
        ? { answer: text }
        : { body: await bodies.store(tenantToken(tenant), text) };
    const about = { key: key.id, cell: cell.cell, runner, call: token, id };
    cell.connection.publish(
      cell.subjects.answer(runner, id),
      sealFrame(key, 'answer', JSON.stringify({ ...about, ...content })),
    );
  };
}

async function answerOf(
  requests: CarriedRequests,
  message: string | BodyReference,
  bodies: Bodies,
  signal: AbortSignal,
): Promise<AskedAnswer> {
  try {
    const text = typeof message === 'string' ? message : await bodies.read(message);
    const asked = readAsked(text);
    if (asked === undefined) return { is: 'refused', message: 'The question cannot be read.' };
    return await settle(requests, asked, signal);
  } catch (error) {
    return { is: 'refused', message: messageOf(error) };
  }
}

async function settle(
  requests: CarriedRequests,
  asked: Asked,
  signal: AbortSignal,
): Promise<AskedAnswer> {
  if (asked.kind === 'effect') {
    await requests.allow(asked.held, signal);
    return { is: 'allowed', digest: asked.held.digest };
  }
  const { text, bytes } = await requests.usePower(asked.use, signal);
  const value: unknown = JSON.parse(text);
  if (bytes === undefined) {
    return { is: 'used', result: { value, parts: [], contents: new Uint8Array() } };
  }
  const contents = await collect(
    bytes.content,
    MAX_RESULT_BYTES,
    () => new Error('The result has too many bytes.'),
  );
  return { is: 'used', result: { value, parts: bytes.parts, contents } };
}
