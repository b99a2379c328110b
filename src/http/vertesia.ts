import type { Engine } from '../engine/engine-api.js';
import { makeVertesiaServer } from './vertesia/handler.js';
import type { VertesiaHandler, VertesiaOptions } from './vertesia/options.js';

export type {
  InvocationRecord,
  TokenPolicy,
  VertesiaHandler,
  VertesiaOptions,
} from './vertesia/options.js';
export type { ServerLimits } from './limits.js';
export type { PinnedIssuer } from './tokens/issuers.js';

/**
 * Serves an engine's catalog by Vertesia's protocol for custom tools. Without a valid token, a caller can
 * only list the tools: the answers do not show whether a tool exists.
 *
 * Throws `INVALID_OPTIONS` for issuers that cannot be pinned.
 */
export function createVertesiaHandler(engine: Engine, options: VertesiaOptions): VertesiaHandler {
  const { invoke: _invoke, ...handler } = makeVertesiaServer(engine, options);
  return handler;
}
