import type { Guard } from './guard.js';

const HOSTILE = ['test/fleet/hostile.test.ts'];
const ROUTING = ['test/fleet/routing.test.ts'];
const PARTS = ['test/fleet/parts.test.ts'];
const FAULTS = ['test/fleet/faults.test.ts'];
const ASKS = ['test/fleet/asks.test.ts'];
const AUDIT = ['test/fleet/audit.test.ts'];

/** Gateways and runners. */
export const fleetGuards: readonly Guard[] = [
  {
    id: 'admitted-artifact-compared',
    stops: 'another artifact that runs in place of the admitted one',
    mutation: 'left',
    tests: HOSTILE,
  },
  {
    id: 'admitted-isolation-compared',
    stops: 'calls of several tenants in one guest, although the gateway keeps them apart',
    mutation: 'never',
    tests: HOSTILE,
  },
  {
    id: 'admitted-digest-compared',
    stops: 'a call that runs with another grant, input or tenant than was admitted',
    mutation: 'never',
    tests: HOSTILE,
  },
  {
    id: 'fleet-signature-verified',
    stops: 'calls of anyone who can publish to NATS',
    mutation: 'never',
    tests: HOSTILE,
  },
  {
    id: 'fleet-session-verified',
    stops: 'calls of anyone who can publish to NATS, without a signature',
    mutation: 'never',
    tests: HOSTILE,
  },
  {
    id: 'fleet-call-audience-checked',
    stops: 'a call that is passed on to another runner',
    mutation: 'never',
    tests: HOSTILE,
  },
  {
    id: 'fleet-call-tenant-checked',
    stops: "a call on another tenant's subject",
    mutation: 'never',
    tests: HOSTILE,
  },
  {
    id: 'fleet-call-expires',
    stops: 'an old call that is played back',
    mutation: 'never',
    tests: HOSTILE,
  },
  {
    id: 'fleet-call-spent-once',
    stops: 'a call that runs twice because its message is played back',
    mutation: 'never',
    tests: [...HOSTILE, ...PARTS],
  },
  {
    id: 'fleet-move-after-former-runner-stopped',
    stops: 'a plugin that is moved while its former runner may still change its state',
    mutation: 'never',
    tests: ['test/fleet/operator.test.ts'],
  },
  {
    id: 'fleet-call-noted-before-it-begins',
    stops:
      'a call that runs without a note, so that its message could be played back after a restart',
    mutation: 'remove',
    tests: ['test/fleet/full-disk.test.ts'],
  },
  {
    id: 'fleet-deaf-runner-stops',
    stops: 'a runner that goes on with what was revoked',
    mutation: { replace: [/&& now\(\).*;/s, ';'] },
    tests: HOSTILE,
  },
  {
    id: 'fleet-epoch-never-lower',
    stops: 'an old statement of a gateway that hides a revocation',
    mutation: 'never',
    tests: HOSTILE,
  },
  {
    id: 'fleet-runner-serves-its-tenants',
    stops: 'calls of a tenant on a runner that does not serve it',
    mutation: 'never',
    tests: HOSTILE,
  },
  {
    id: 'fleet-artifact-hashed',
    stops: 'changed code from the object store',
    mutation: 'never',
    tests: ROUTING,
  },
  {
    id: 'fleet-stateful-plugin-pinned',
    stops: 'the state of a plugin that is split over runners',
    mutation: 'always',
    tests: ROUTING,
  },
  {
    id: 'fleet-tls-required',
    stops: 'calls in clear text on a network',
    mutation: 'never',
    tests: ROUTING,
  },
  {
    id: 'fleet-lost-call-not-run-twice',
    stops: 'a second run of a call that may have had effects',
    mutation: 'never',
    tests: FAULTS,
  },
  {
    id: 'fleet-heartbeat-of-its-sender',
    stops: "a runner that forges another runner's heartbeat",
    mutation: {
      replace: [/heartbeat\?\.runner !== .*\)\) return;/, 'heartbeat === undefined) return;'],
    },
    tests: FAULTS,
  },
  {
    id: 'fleet-body-hashed',
    stops: 'an input or result that was changed in the object store',
    mutation: 'left',
    tests: PARTS,
  },
  {
    id: 'fleet-result-checked',
    stops: 'an invalid result of a hostile runner',
    mutation: 'always',
    tests: PARTS,
  },
  {
    id: 'fleet-revocation-survives-restart',
    stops: 'a revoked permission that is back after a restart of the gateway',
    mutation: {
      replace: [
        /stored\.pin === hashOf\(plugin\) \? stored\.permissions : \[\]/,
        '[] as readonly string[]',
      ],
    },
    tests: ['test/fleet/revocations.test.ts'],
  },
  {
    id: 'fleet-audit-sequence-expected',
    stops: "records of another writer in a runner's audit log",
    mutation: 'remove',
    tests: AUDIT,
  },
  {
    id: 'fleet-audit-followed',
    stops: 'a changed audit log of a runner that no gateway notices',
    mutation: 'never',
    tests: AUDIT,
  },
  {
    id: 'fleet-audit-anchors-compared',
    stops: 'records of a runner that NATS lost at the end of its log, and that anchors name',
    mutation: { replace: [/\.\.\.\(anchored.*,/, ''] },
    tests: ['test/fleet/operator.test.ts'],
  },
  {
    id: 'carried-effect-digest-compared',
    stops: 'an approver who is asked about another request than the one that would be sent',
    mutation: 'never',
    tests: ASKS,
  },
  {
    id: 'fleet-asks-capped',
    stops: 'a runner that floods the approver of a gateway',
    mutation: { replace: [/this\.asks >= MAX_ASKS/, 'false'] },
    tests: ASKS,
  },
  {
    id: 'fleet-answer-by-gateway-of-call',
    stops: 'an answer to a question by anyone who can publish to NATS',
    mutation: 'never',
    tests: ASKS,
  },
  {
    id: 'fleet-allowed-digest-compared',
    stops: 'a request that is sent with the approval of another one',
    mutation: 'left',
    tests: ASKS,
  },
  {
    id: 'fleet-power-of-one-tenant',
    stops: 'a power that is used for another tenant than the one of the call',
    mutation: { replace: [/ && one\.tenant === first\?\.tenant/, ''] },
    tests: ASKS,
  },
];
