import type { FormatName } from '../plugin/plugin.js';

/** What a plugin's code shows that it needs. Nothing of it was run. */
export interface Suggestion {
  readonly plugin: string;
  readonly format: FormatName;
  /** The file that an author puts it into, and the request itself, as manifests write it. */
  readonly manifest: string;
  readonly permissions: SuggestedPermissions;
  /** Why each of them is in it, with where. */
  readonly items: readonly SuggestedItem[];
  /** What the code does that cannot be told before it runs, or that no permission allows. */
  readonly open: readonly OpenQuestion[];
}

export interface SuggestedPermissions {
  readonly time?: true;
  readonly random?: true;
  readonly storage?: true;
  readonly network?: readonly string[];
  readonly env?: readonly string[];
  readonly fs?: readonly string[];
  readonly powers?: readonly string[];
}

/** A member of a request. */
export type SuggestedKind = keyof SuggestedPermissions;

export interface SuggestedItem {
  readonly permission: SuggestedKind;
  /** What of it; `true` where it has no scope. */
  readonly scope: string;
  /** What the code does. */
  readonly why: string;
  /** `lib/weather.ts:14:9`: the file relative to the plugin's directory, line and column from 1. */
  readonly at: string;
}

export interface OpenQuestion {
  readonly permission: SuggestedKind | 'none';
  readonly what: string;
  readonly at: string;
}
