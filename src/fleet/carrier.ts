import { type CallCarrier, type CarriedCall, unknown } from '../engine/call/carried.js';
import type { CallResult, Failure } from '../engine/types/result.js';
import {
  type Attempt,
  type AttemptDetails,
  type AttemptSpec,
  isNoResponder,
  OpenAttempt,
} from './attempt.js';
import {
  busy,
  noRunner,
  notAccepted,
  otherMajor,
  noTransport,
  pinnedLost,
  RETRY_AFTER_MS,
  tooMany,
} from './call-failures.js';
import { MAX_MESSAGE_BYTES } from './envelope.js';
import { parse } from './frame.js';
import type { Pins } from './pins.js';
import type { KnownRunner } from './runner-table.js';
import { tenantToken } from './subjects.js';

export interface FleetCarrierSpec extends AttemptSpec {
  readonly pins: Pins;
  /** Calls under way at once. */
  readonly maxCalls: number;
}

export interface FleetCarrier extends CallCarrier {
  /** Asks runners for the calls that they have, and settles those that are lost. Called every second. */
  checkRunners(): void;
  readonly callsUnderWay: number;
  close(): void;
}

/** Runners that are tried for one call, before it fails with `BUSY`. */
const MAX_ATTEMPTS = 5;

/** Milliseconds without a connection after which the answers of runners count as lost. */
const LOST_AFTER_MS = 5_000;

/** Calls that a runner is asked about in one message. */
const MAX_ASKED = 5_000;

/** Sends calls to runners, and tries another runner if the first did not begin. */
export function makeFleetCarrier(spec: FleetCarrierSpec): FleetCarrier {
  const { cell, runners, bodies, pins, maxCalls } = spec;
  const open = new Map<string, OpenAttempt>();
  const subscription = cell.connection.subscribe(`${cell.inbox}.calls.*`, {
    callback: (error, message) => {
      if (error === null) open.get(cell.subjects.lastToken(message.subject))?.receive(message);
    },
  });
  const answers = cell.connection.subscribe(`${cell.inbox}.alive.*`, {
    callback: (error, message) => {
      if (error !== null) return;
      const runner = cell.subjects.lastToken(message.subject);
      const absent = isNoResponder(message) ? undefined : readIds(message.string());
      for (const one of open.values()) {
        if (one.runner === runner) one.heardOf(absent === undefined || absent.has(one.token));
      }
    },
  });
  let underWay = 0;

  const attempt = (call: CarriedCall, details: AttemptDetails): Promise<Attempt> =>
    new Promise((resolve) => {
      new OpenAttempt(spec, open, call, details, resolve).send();
    });

  /** The runner for a call; `undefined`: whichever runner takes it from the queue. */
  const routeOf = async (
    call: CarriedCall,
    except: ReadonlySet<string>,
  ): Promise<KnownRunner | Failure | undefined> => {
    const { artifact = '', options, isStateful, tool } = call;
    const wanted = { artifact, tenant: options.tenant, except };
    const best = runners.choose(wanted);
    // guard: fleet-stateful-plugin-pinned
    if (!isStateful) return best;
    const pinned = await pins.runnerFor(options.tenant, tool.plugin, best?.runner);
    if (pinned === undefined) {
      const other = runners.findOtherMajor(artifact);
      return other === undefined ? noRunner(call) : otherMajor(other, spec.version);
    }
    const runner = runners.choose({ ...wanted, only: pinned });
    if (runner !== undefined) return runner;
    const known = runners.find(pinned);
    if (known === undefined || runners.isLost(pinned, undefined) || known.leaving) {
      return pinnedLost(call, pinned);
    }
    if (except.has(pinned) || runners.isFull(pinned)) return busy(call, RETRY_AFTER_MS);
    // It says best why it does not run the call, e.g. that it has another major version.
    return known;
  };

  const run = async (call: CarriedCall): Promise<CallResult | Failure> => {
    if (call.artifact === undefined) return notAccepted(call);
    if (!cell.isConnected()) return noTransport(call);
    const tenant = tenantToken(call.options.tenant);
    // The runner may need it for the result.
    await bodies.prepare(tenant);
    const body =
      Buffer.byteLength(call.inputText) > MAX_MESSAGE_BYTES
        ? await bodies.store(tenant, call.inputText)
        : undefined;
    const except = new Set<string>();
    let last: Failure = noRunner(call);
    let isSigned = false;
    try {
      for (let number = 0; number < MAX_ATTEMPTS && !call.end.isOver; number += 1) {
        const to = await routeOf(call, except);
        if (to !== undefined && 'code' in to) return number === 0 ? to : last;
        const end = await attempt(call, { body, number, to, isSigned });
        if (end.is === 'unsigned') {
          isSigned = true;
          continue;
        }
        if (end.is === 'answered') return end.result;
        if (end.is === 'over') return end.failure;
        if (end.runner !== undefined) except.add(end.runner);
        // guard: fleet-lost-call-not-run-twice
        if (end.is === 'lost' && !call.isIdempotent) return unknown(call.tool);
        const failure = end.is === 'lost' ? unknown(call.tool) : end.failure;
        // There is no other runner to ask. What the last one said is more useful than that.
        if (end.runner === undefined) return number === 0 ? failure : last;
        last = failure;
      }
      return last;
    } finally {
      if (body !== undefined) void bodies.remove(body);
    }
  };

  return {
    run: async (call) => {
      if (underWay >= maxCalls) return tooMany(call, maxCalls);
      underWay += 1;
      try {
        return await run(call);
      } finally {
        underWay -= 1;
      }
    },
    checkRunners: () => {
      if (!cell.isConnected()) {
        // By now the runners have stopped the calls of a gateway that they do not hear.
        if (cell.lostForMs() > LOST_AFTER_MS)
          for (const one of open.values()) one.settle({ is: 'lost' });
        return;
      }
      const sent = new Map<string, string[]>();
      for (const one of open.values()) {
        one.checkRunner();
        if (one.runner === undefined) continue;
        const tokens = sent.get(one.runner) ?? [];
        sent.set(one.runner, tokens);
        if (tokens.length < MAX_ASKED) tokens.push(one.token);
      }
      for (const [runner, tokens] of sent) {
        const reply = `${cell.inbox}.alive.${runner}`;
        cell.connection.publish(cell.subjects.alive(runner), JSON.stringify(tokens), { reply });
      }
    },
    get callsUnderWay() {
      return underWay;
    },
    close: () => {
      subscription.unsubscribe();
      answers.unsubscribe();
      for (const one of open.values()) one.settle({ is: 'lost' });
    },
  };
}

/** The calls in a runner's answer. */
function readIds(text: string): ReadonlySet<unknown> {
  const value = parse(text);
  return new Set(Array.isArray(value) ? value : []);
}
