import { randomBytes } from 'node:crypto';
import type { Msg, Subscription } from '@nats-io/transport-node';
import type { Answer, Approver } from '../approval/approver.js';
import { placeBytes, splitBytes } from '../brokers/powers/bytes.js';
import type { PowerContext, PowerDefinition } from '../brokers/powers/host-powers.js';
import type { PublicKey } from '../keys/signing-key.js';
import { object, optional, readShape, type Shape, string } from '../schema/shape.js';
import { type Asked, type AskedAnswer, type LentPower, readAnswer, textOfAsked } from './asked.js';
import { type Bodies, type BodyReference, bodyReferenceShape } from './bodies.js';
import type { Cell } from './connection.js';
import { MAX_MESSAGE_BYTES } from './envelope.js';
import { openFrame } from './frame.js';
import type { Reply } from './reply.js';
import { tenantToken } from './subjects.js';

/** A running call, and the way back to its gateway. */
export interface AskableCall {
  /** The id of the call. */
  readonly call: string;
  /** The call and its attempt. */
  readonly token: string;
  /** The key that signed the call. Only an answer by the same key counts. */
  readonly key: string;
  readonly tenant: string | undefined;
  readonly reply: (message: Reply) => void;
}

/** Asks the gateways of running calls for what only they may decide or do. */
export interface GatewayAsker {
  /** Approves undeclared writes, for the option `approve` of the runner's engine. */
  readonly approve: Approver;
  /** A power that runs on the gateway. */
  powerOf(lent: LentPower): PowerDefinition;
  /** Returns the function that ends it: then nothing is asked for the call, and no answer counts. */
  began(call: AskableCall): () => void;
  start(): Subscription;
}

export interface GatewayAskerSpec {
  readonly cell: Cell;
  readonly keys: ReadonlyMap<string, PublicKey>;
  readonly bodies: Bodies;
}

interface Pending {
  readonly call: AskableCall;
  readonly settle: (answer: AskedAnswer) => void;
}

interface SignedAnswer {
  readonly key: string;
  readonly cell: string;
  readonly runner: string;
  readonly call: string;
  readonly id: string;
  readonly answer?: string;
  readonly body?: BodyReference;
}

const signedAnswerShape: Shape<SignedAnswer> = object({
  key: string(),
  cell: string(),
  runner: string(),
  call: string(),
  id: string(),
  answer: optional(string()),
  body: optional(bodyReferenceShape),
});

export function makeGatewayAsker({ cell, keys, bodies }: GatewayAskerSpec): GatewayAsker {
  const running = new Map<string, AskableCall>();
  const pending = new Map<string, Pending>();

  const ask = async (
    call: AskableCall,
    asked: Asked,
    signal: AbortSignal,
  ): Promise<AskedAnswer> => {
    const id = randomBytes(16).toString('hex');
    const text = textOfAsked(asked);
    const message =
      Buffer.byteLength(text) <= MAX_MESSAGE_BYTES
        ? text
        : await bodies.store(tenantToken(call.tenant), text);
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        pending.delete(id);
        reject(new Error('The call has ended.'));
      };
      pending.set(id, {
        call,
        settle: (answer) => {
          pending.delete(id);
          signal.removeEventListener('abort', onAbort);
          resolve(answer);
        },
      });
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      call.reply({ type: 'ask', id, asked: message });
    });
  };

  const receive = async (message: Msg): Promise<void> => {
    const value = openFrame(keys, 'answer', message.data);
    const read = readShape(signedAnswerShape, value, 'answer');
    if (!read.ok) return;
    const { key, cell: where, runner, call: token, id, answer, body } = read.value;
    const { call, settle } = pending.get(id) ?? {};
    // guard: fleet-answer-by-gateway-of-call
    if (call?.key !== key || call.token !== token) return;
    if (where !== cell.cell || runner !== cell.name) return;
    const text = body === undefined ? answer : await bodies.read(body).catch(() => undefined);
    const settled = text === undefined ? undefined : readAnswer(text);
    settle?.(settled ?? { is: 'refused', message: 'The answer of the gateway cannot be read.' });
  };

  /** The calls that may have used a power, if they have one tenant. */
  const callOf = ({ call, among = [] }: PowerContext): AskableCall | undefined => {
    const open = (call === undefined ? among : [call]).map((id) => running.get(id));
    const [first] = open;
    // guard: fleet-power-of-one-tenant
    return open.every((one) => one !== undefined && one.tenant === first?.tenant)
      ? first
      : undefined;
  };

  return {
    approve: async (request): Promise<Answer> => {
      const call = running.get(request.callId);
      const { effect, risk, riskWhy, why, digest } = request;
      if (call === undefined || effect === undefined) {
        return {
          verdict: 'deny',
          reason: 'no call of a gateway is running that may be asked about',
        };
      }
      const held = { effect, risk, riskWhy, why, digest };
      const answer = await ask(call, { kind: 'effect', held }, request.signal);
      // guard: fleet-allowed-digest-compared
      if (answer.is === 'allowed' && answer.digest === digest) {
        return { verdict: 'once', by: `gateway ${call.key}`, channel: 'host' };
      }
      const reason =
        answer.is === 'refused' ? answer.message : 'the gateway allowed another request';
      return { verdict: 'deny', reason: reason.replace(/\.$/, '') };
    },
    powerOf: (lent) => ({
      ...lent,
      handler: async (args, context) => {
        const call = callOf(context);
        if (call === undefined) {
          throw exposed('the gateway lends it to running calls of one tenant alone');
        }
        const { value, parts, contents } = splitBytes(args);
        const use = { name: lent.name, arguments: value, parts, contents: Buffer.concat(contents) };
        const answer = await ask(call, { kind: 'power', use }, context.signal);
        if (answer.is === 'used') {
          return placeBytes(answer.result.value, answer.result.parts, answer.result.contents);
        }
        throw exposed(
          answer.is === 'refused' ? answer.message : 'the answer is of another question',
        );
      },
    }),
    began: (call) => {
      running.set(call.call, call);
      return () => {
        if (running.get(call.call) === call) running.delete(call.call);
      };
    },
    start: () =>
      cell.connection.subscribe(cell.subjects.answer(cell.name, '*'), {
        callback: (error, message) => {
          if (error === null) void receive(message);
        },
      }),
  };
}

/** An error whose message the plugin sees: the gateway has removed what it must not see. */
function exposed(message: string): Error {
  return Object.assign(new Error(message), { expose: true });
}
