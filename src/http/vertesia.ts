export { createVertesiaHandler } from './vertesia/handler.js';
export type { VertesiaHandler } from './vertesia/handler.js';
export type { InvocationRecord, VertesiaOptions } from './vertesia/options.js';
export type { ServerLimits } from './limits.js';
export type { PinnedIssuer } from './tokens/issuers.js';
