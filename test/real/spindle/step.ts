import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import type { Scenario } from '../scenario.js';

/** One act of the host. */
export type SpindleStep =
  /** Waits until the extension has started. Compares its registrations. */
  | { readonly boot: true }
  /** A message of the extension's page. */
  | { readonly message: Json }
  | { readonly event: string; readonly payload: Json }
  | { readonly intercept: readonly JsonObject[]; readonly context?: JsonObject }
  | { readonly handle: ContextKind; readonly context: JsonObject }
  | { readonly macro: string; readonly args?: readonly string[] }
  | { readonly command: string; readonly context?: JsonObject }
  | { readonly oauth: JsonObject }
  | {
      readonly tool: string;
      readonly args?: JsonObject;
      readonly councilMember?: JsonObject;
      readonly contextMessages?: readonly JsonObject[];
    };

export type ContextKind =
  | 'contextHandler'
  | 'macroInterceptor'
  | 'worldInfoInterceptor'
  | 'contentProcessor';

export interface SpindleScenario extends Scenario<SpindleStep> {
  /** What models answer. Default: one sentence. */
  readonly generated?: string;
  /** Members that a timer of the extension uses. When it does is not compared. */
  readonly periodic?: readonly string[];
  /** Answers of members in place of those of `lumiverse.ts`, e.g. `chats.getActive`. */
  readonly answers?: Readonly<Record<string, Json>>;
}

/** What one run is told. It is sent to the oracle as JSON. */
export interface SpindleRun {
  readonly id: string;
  readonly directory: string;
  readonly manifest: JsonObject;
  readonly storage: string;
  readonly origins: Readonly<Record<string, string>>;
  readonly scenario: SpindleScenario;
}
