// The realm that the tests of endowments run in: locked down by the product's own perimeter.
import './platform.js';
import { webPowers as web } from '../../../../sandbox/node/perimeter.js';

import { createInterface } from 'node:readline';
import { makeCompartment } from '../../../../sandbox/compartment.js';
import { describeError } from '../../../../sandbox/describe-error.js';
import { makeAbortPair } from '../../../../sandbox/endowments/abort.js';
import { makeDenial } from '../../../../sandbox/endowments/denial.js';
import type { EndowmentCapabilities } from '../../../../sandbox/endowments/endowment.js';
import { endow, prebuildEndowments } from '../../../../sandbox/endowments/endow.js';
import { explainWithheld } from '../../../../sandbox/endowments/withheld.js';
import { explainWith } from '../../../../sandbox/with-statements.js';
import { makeHostPower } from '../../../../sandbox/host-power.js';
import { serialize } from '../../../../sandbox/serialize.js';
import type { WireFailure } from '../../../../sandbox/wire/messages.js';
import type { GuestGrant } from '../../../../sandbox/wire/methods.js';
import { FROM_HOST } from '../../../../sandbox/wire/limits.js';
import { loopback, silent } from '../../wire/loopback.js';
import type { RealmCase, RealmOutcome } from './case.js';
import { makeHost } from './host.js';
import { inspectObjects } from './inspect-objects.js';

const LIMITS = {
  maxTimers: 20,
  maxResultBytes: 1_000_000,
  maxResultDepth: 50,
  maxResultNodes: 50_000,
  maxLogText: 1000,
  maxFetches: 4,
  maxBodyBytes: 2_000_000,
  maxOutputText: 1_000,
};

const NOTHING: GuestGrant = {
  time: false,
  random: false,
  network: false,
  fs: undefined,
  env: undefined,
  storage: false,
  powers: undefined,
};

const stackOf = (error: Error): string => String(Reflect.get(globalThis, 'getStackString')(error));
const plugin = { id: 'demo', manifest: 'pandora.manifest.json' };

async function run({
  code,
  grant = {},
  limits = {},
  inspect,
  atOnce = false,
  hasCryptoRandom = true,
}: RealmCase): Promise<RealmOutcome> {
  const notes: string[] = [];
  const logs: string[] = [];
  const faults: WireFailure[] = [];
  const denied: string[] = [];
  const pipe = loopback(
    makeHost(() => pipe.left.peer, notes, logs),
    silent,
    { limits: FROM_HOST },
  );
  const describe = (error: unknown): WireFailure => describeError(error, stackOf);
  let known = false;
  let held = NOTHING;
  const whenKnown = <Fact>(fact: Fact): Fact => {
    if (known) return fact;
    throw new Error('it is not known yet whose it is');
  };
  const powers: EndowmentCapabilities = {
    ...web,
    get plugin() {
      return whenKnown(plugin);
    },
    get grant() {
      return held;
    },
    get limits() {
      return whenKnown({ ...LIMITS, ...limits });
    },
    host: makeHostPower(pipe.right.peer, pipe.right.peer.notify, refuseNow),
    reportFault: (error) => faults.push(describe(error)),
    serialize: (value) => serialize(value, { ...LIMITS, ...limits }),
    hasCryptoRandom,
    denied: (permission, wanted) => denied.push(`${permission}: ${wanted}`),
    denial: (permission, wanted) => {
      denied.push(`${permission}: ${wanted}`);
      return makeDenial(plugin)(permission, wanted);
    },
  };
  const ahead = atOnce ? undefined : prebuildEndowments(powers);
  known = true;
  held = { ...held, ...grant };
  const endowed = endow(powers, ahead);
  const tools = harden({
    revoke: (permission?: 'network') => endowed.revoke(permission),
    /** Changes the grant as a host does, and gives what is newly there. */
    follow: (changes: Partial<GuestGrant>) => {
      held = { ...held, ...changes };
      return endowed.updateGrant();
    },
    signal: () => makeAbortPair(powers),
    collect: () => globalThis.gc?.(),
    sleep: (ms: number) =>
      new Promise((resolve) => {
        setTimeout(resolve, ms);
      }),
    until: async (holds: () => unknown) => {
      for (let tries = 0; tries < 400 && !holds(); tries += 1) {
        await new Promise((resolve) => {
          setTimeout(resolve, 5);
        });
      }
    },
    notes: () => [...notes],
  });
  const compartment = makeCompartment({ globals: { ...endowed.globals, tools }, assigned: [] });
  const outcome = (more: Pick<RealmOutcome, 'value' | 'failure'>): RealmOutcome => ({
    ...more,
    logs,
    faults,
    denied,
    host: notes,
    withheld: endowed.withheldNames,
  });
  try {
    const returned: unknown = await compartment.evaluate(`(async () => {${code}\n})()`);
    const value: unknown =
      inspect === undefined
        ? JSON.parse(serialize(returned, powers.limits))
        : inspectObjects({
            returned,
            globals: endowed.globals,
            ...(inspect === 'control'
              ? { control: [new URL('a:b'), setTimeout(() => {}, 0)] }
              : {}),
          });
    // The pipe keeps the order, so the host has every earlier line when it answers this.
    await pipe.right.peer.ask('flush', {}).answer;
    return outcome({ value });
  } catch (error) {
    const why =
      explainWithheld(
        error,
        { withheldNames: endowed.withheldNames, hasTime: held.time },
        powers.denial,
      ) ??
      explainWith(error) ??
      error;
    return outcome({ failure: describe(why) });
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const outcome = await run(JSON.parse(line));
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
}

function refuseNow(): never {
  throw new Error('this realm has no synchronous requests');
}
