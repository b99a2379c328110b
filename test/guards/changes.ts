import type { Guard } from './guard.js';

/** What a plugin may do and offers, as both change while it runs. */
export const changeGuards: readonly Guard[] = [
  {
    stops: 'a request that goes on after its permission was taken away',
    file: 'src/brokers/network/broker.ts',
    code: 'if (lost || !allowed) life.fail(refusals.revoked());',
    without: '',
    tests: ['test/brokers/network'],
  },
  {
    stops: 'a broker that serves on when nothing of its kind is granted any more',
    file: 'src/engine/entry/broker-slot.ts',
    code: 'if (scopes.length === 0) shut();',
    without: 'if (scopes.length === 0) return;',
    tests: ['test/engine/entry/broker-slot.test.ts', 'test/escape/revocation.test.ts'],
  },
  {
    stops: 'a guest that never looks up, and keeps what was taken from it',
    file: 'src/engine/entry/regrant.ts',
    code: 'if (followed || !narrowed) return;',
    without: 'return;',
    tests: ['test/escape/revocation.test.ts'],
  },
  {
    stops: 'a grant of what a plugin never declared',
    file: 'src/engine/grants/permit.ts',
    code: 'if (declares || first === undefined) return;',
    without: 'return;',
    tests: ['test/engine/grants/permit.test.ts'],
  },
  {
    stops: 'arguments that say which user asks',
    file: 'src/formats/spindle/invocation/strip-users.ts',
    code: 'if (looksLikeUser(key) && !isNamed) return [];',
    without: '',
    tests: ['test/formats/spindle/invocation.test.ts'],
  },
  {
    stops: 'tools of an extension that may have none',
    file: 'src/formats/spindle/offer.ts',
    code: 'const items: readonly unknown[] = mayHave && Array.isArray(list) ? list : [];',
    without: 'const items: readonly unknown[] = Array.isArray(list) ? list : [];',
    tests: ['test/engine/spindle/registration.test.ts'],
  },
  {
    stops: 'a tool that is called on after the permission for it is gone',
    file: 'src/engine/entry/running.ts',
    code: 'for (const revocation of forget(revocations, tools)) revocation.happen();',
    without: '',
    tests: ['test/engine/spindle/registration.test.ts'],
  },
  {
    stops: 'events that tell what a plugin may not know',
    file: 'src/engine/spindle/event-gates.ts',
    code: "return { told: 'names', payload: namesIn(payload) };",
    without: "return { told: 'names', payload };",
    tests: ['test/engine/spindle/events.test.ts'],
  },
  {
    stops: 'an extension that reads what its permissions do not cover',
    file: 'src/engine/spindle/rpc-pool.ts',
    code: 'if (missing !== undefined) {',
    without: 'if (missing === null) {',
    tests: ['test/engine/spindle/sharing.test.ts'],
  },
  {
    stops: 'a handler that hangs a whole chain',
    file: 'src/engine/hooks/tell.ts',
    code: 'const timer = setTimeout(() => stop(tooLate(plugin, event.name, timeoutMs)), timeoutMs);',
    without: 'const timer = setTimeout(() => {}, timeoutMs);',
    tests: ['test/engine/spindle/chains.test.ts'],
  },
  {
    stops: 'an alias that answers for a tool that is gone',
    file: 'src/catalog/spellings.ts',
    code: 'written === name || EXPORTED.test(written) ? [] : [written]',
    without: 'written === name ? [] : [written]',
    tests: ['test/catalog'],
  },
];
