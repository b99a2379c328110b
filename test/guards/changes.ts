import type { Guard } from './guard.js';

/** Hooks, and permissions, tools and events that change while a plugin runs. */
export const changeGuards: readonly Guard[] = [
  {
    id: 'hook-field-mutable',
    stops: 'a hook that changes a read-only field',
    mutation: { replace: [/\?\.\w+ !== true/, ' === undefined'] },
    tests: ['test/engine/hooks'],
  },
  {
    id: 'hook-message-valid',
    stops: 'an invalid message from a hook',
    mutation: 'nothing',
    tests: ['test/engine/hooks'],
  },
  {
    id: 'hook-context-size-cap',
    stops: 'a hook that makes a context larger than the cap',
    mutation: 'nothing',
    tests: ['test/engine/hooks'],
  },
  {
    id: 'hook-deadline',
    stops: 'a hook that never ends',
    mutation: 'idle-callback',
    tests: ['test/escape/hooks.test.ts'],
  },
  {
    id: 'late-hook-given-up',
    stops: 'a hook that continues after the host stopped waiting for it',
    mutation: 'remove',
    tests: ['test/escape/hooks.test.ts'],
  },
  {
    id: 'broadcast-hook-running',
    stops: 'a broadcast in the name of a hook that is not running',
    mutation: { replace: [/\?\.\w+ !== true/, ' === undefined'] },
    tests: ['test/engine/instance/running-hooks.test.ts'],
  },
  {
    id: 'disabled-plugin-ended',
    stops: 'a plugin that continues to run after it was disabled',
    mutation: 'never',
    tests: ['test/engine/plugins/reload.test.ts'],
  },
  {
    id: 'retired-plugins-end-at-close',
    stops: 'a retired plugin that finishes its calls although its engine was closed',
    mutation: { replace: [/, \.\.\.\w+/, ''] },
    tests: ['test/engine/plugins/reload.test.ts'],
  },
  {
    id: 'replaced-guests-killed-at-close',
    stops: 'a replaced guest that outlives its engine',
    mutation: { replace: [/of (\w+)/, 'of [...$1].slice(-1)'] },
    tests: ['test/engine/plugins/reload.test.ts'],
  },
  {
    id: 'request-ends-on-revocation',
    stops: 'a request that continues after its permission was revoked',
    mutation: 'never',
    tests: ['test/brokers/network'],
  },
  {
    id: 'broker-closed-without-grant',
    stops: 'a broker that continues to serve after its last permission was revoked',
    mutation: { replace: [/\w+\(\);/, 'return;'] },
    tests: ['test/engine/instance/broker-slot.test.ts', 'test/escape/revocation.test.ts'],
  },
  {
    id: 'unresponsive-guest-killed-on-revocation',
    stops: 'a guest that ignores messages and so keeps a revoked permission',
    mutation: 'always',
    tests: ['test/escape/revocation.test.ts'],
  },
  {
    id: 'grant-was-declared',
    stops: 'a grant of a permission that the plugin did not declare',
    mutation: 'always',
    tests: ['test/engine/plugins/permit.test.ts'],
  },
  {
    id: 'spindle-user-arguments-stripped',
    stops: 'arguments that reveal which user calls',
    mutation: 'never',
    tests: ['test/formats/spindle/invocation.test.ts'],
  },
  {
    id: 'spindle-tools-need-permission',
    stops: 'tools of an extension without the tools permission',
    mutation: 'right',
    tests: ['test/formats/spindle/engine/registration.test.ts'],
  },
  {
    id: 'tool-calls-end-on-revocation',
    stops: 'calls of a tool that continue after its permission was revoked',
    mutation: 'remove',
    tests: ['test/formats/spindle/engine/registration.test.ts'],
  },
  {
    id: 'spindle-event-reduced-to-names',
    stops: 'events with content that the plugin is not permitted to see',
    mutation: 'unwrap',
    tests: ['test/formats/spindle/engine/events.test.ts'],
  },
  {
    id: 'spindle-message-for-its-user',
    stops: "a message of one user's page that reaches the extension of another user",
    mutation: 'never',
    tests: ['test/formats/spindle/engine/reaching.test.ts'],
  },
  {
    id: 'spindle-final-response-needs-permission',
    stops: 'an extension that answers in place of the model without the permission',
    mutation: 'always',
    tests: ['test/formats/spindle/engine/merging.test.ts'],
  },
  {
    id: 'seed-tree-capped',
    stops: 'a directory of seeds with endless files',
    mutation: 'never',
    tests: ['test/engine/plugins/seed-storage.test.ts'],
  },
  {
    id: 'spindle-rpc-permission-checked',
    stops: 'an extension that reads shared data without the permission',
    mutation: 'never',
    tests: ['test/formats/spindle/engine/sharing.test.ts'],
  },
  {
    id: 'event-handler-deadline',
    stops: 'an event handler that blocks a whole chain',
    mutation: 'idle-callback',
    tests: ['test/formats/spindle/engine/chains.test.ts'],
  },
  {
    id: 'exported-alias-skipped',
    stops: 'an alias that answers for a tool that no longer exists',
    mutation: 'left',
    tests: ['test/catalog'],
  },
];
