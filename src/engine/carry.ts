import type { Json } from '../../sandbox/wire/messages.js';
import type { CatalogTool } from '../catalog/catalog.js';
import type { ToolAnswer } from '../plugin/answer.js';
import type { CallOptions } from './options.js';
import type { Failure } from './result.js';

/** What a call came to: what its tool returned, an answer that is read already, or why it failed. */
export type Outcome = { readonly value: Json } | { readonly answer: ToolAnswer } | Failure;

/** One call, as far as it takes to bring it to its tool. */
export interface Carried {
  readonly callId: string;
  readonly tool: CatalogTool;
  readonly inputText: string;
  readonly options: CallOptions;
  readonly deadlineMs: number;
  readonly maxResultBytes: number;
}

/** Brings one call to where its tool runs, and back. */
export interface Carrier {
  /** Starts it; `settle` may come more than once, and counts once. */
  start(settle: (outcome: Outcome) => void): void;
  /** Nobody waits for it any more: what runs is told so, and is ended where it does not listen. */
  giveUp(why: string): void;
  /** It has been answered. */
  done(): void;
  /** Turns a stack into the plugin's own source lines. */
  mapStack(stack: string): string;
}
