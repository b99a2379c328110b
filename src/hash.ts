import crypto from 'node:crypto';

/**
 * Node's `hash`. Node 18 lacks it: a named import would fail there before `createEngine` can say
 * which version it needs.
 */
// oxlint-disable-next-line import/no-named-as-default-member
export const hash: typeof crypto.hash = crypto.hash;
