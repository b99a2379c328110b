import { type Envelope, majorOf } from './envelope.js';
import { gatewayId } from './epoch.js';
import type { GatewaysHeard } from './gateways-heard.js';
import type { Refusal } from './reply.js';
import { hash12, type Subjects, tenantToken } from './subjects.js';
import { BULKHEAD_VERSION } from './version.js';

/** What a call is compared with. */
export interface RunnerFacts {
  readonly name: string;
  readonly cell: string;
  readonly subjects: Subjects;
  /** `undefined`: all. */
  readonly tenants: readonly string[] | undefined;
  readonly gateways: Pick<GatewaysHeard, 'isFresh'>;
}

export interface RefusedCall {
  readonly reason: Refusal;
  readonly message: string;
}

/** Milliseconds that an envelope may be valid. More would have to be remembered for longer. */
const MAX_VALIDITY_MS = 60_000;

/** Why a signed call must not run on this runner; `undefined`: it may. `subject`: the one that it was sent to. */
export function whyCallRefused(
  envelope: Envelope,
  subject: string,
  runner: RunnerFacts,
): RefusedCall | undefined {
  const { cell, audience, expiresAtMs, tenant, artifact, key, gateway, version } = envelope;
  const { name, subjects, tenants, gateways } = runner;
  const isPin = subject === subjects.pin(name, hash12(artifact));
  const no = (reason: Refusal, why: string) => ({ reason, message: `${name} ${why}.` });
  if (majorOf(version) !== majorOf(BULKHEAD_VERSION)) {
    return no(
      'version',
      `has version ${BULKHEAD_VERSION}, and the gateway has ${version}. Give both the same major version`,
    );
  }
  // guard: fleet-call-audience-checked
  if (cell !== runner.cell || audience !== (isPin ? name : '*')) {
    return no('not-trusted', 'got a call that its gateway sent to another runner');
  }
  // guard: fleet-call-tenant-checked
  if (!isPin && subject !== subjects.call(tenantToken(tenant), hash12(artifact))) {
    return no('not-trusted', 'got a call whose subject names another tenant or artifact');
  }
  // guard: fleet-runner-serves-its-tenants
  if (tenants !== undefined && (tenant === undefined || !tenants.includes(tenant))) {
    return no('not-trusted', 'does not serve the tenant of the call');
  }
  const leftMs = expiresAtMs - Date.now();
  // guard: fleet-call-expires
  if (leftMs < 0 || leftMs > MAX_VALIDITY_MS) {
    return no(
      'not-trusted',
      'got a call that has expired. If this happens often, compare the clocks of the machines',
    );
  }
  if (!gateways.isFresh(gatewayId({ key, gateway }))) {
    return no('stale', 'has not heard from the gateway for three seconds');
  }
  return undefined;
}

/** Why a message is not a call, by what `openEnvelope` says. */
export const NOT_OPENED: Readonly<
  Record<'unsigned' | 'version' | 'session', readonly [Refusal, string]>
> = {
  unsigned: [
    'not-trusted',
    'does not trust the gateway: no key of fleet.gatewayKeys signed its message. Add the public key of the gateway there.',
  ],
  version: [
    'version',
    `has version ${BULKHEAD_VERSION}, and does not understand the gateway's protocol. Give both the same major version.`,
  ],
  session: ['session', 'does not share this key with the gateway. It takes a signature.'],
};
