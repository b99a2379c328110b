import type { FormatName } from '../plugin/plugin.js';
import type { SuggestedKind, SuggestedPermissions } from './finding.js';

export type { SuggestedPermissions } from './finding.js';

/** The permissions that a plugin's code needs, found without running it. */
export interface Suggestion {
  readonly plugin: string;
  readonly format: FormatName;
  /** The file that declares the plugin's permissions, relative to its directory. */
  readonly manifest: string;
  /** The request, in the manifest's form. */
  readonly permissions: SuggestedPermissions;
  /** The reason for each permission, with its place in the code. */
  readonly items: readonly SuggestedItem[];
  /** Uses whose scope is only known at run time, or that no permission allows. */
  readonly open: readonly OpenQuestion[];
  /** The powers that the code asks its host for. A host lends them with the option `powers`. */
  readonly hostPowers: readonly UsedPower[];
}

/** A power of the host that a plugin's code uses. */
export interface UsedPower {
  readonly name: string;
  /** The permission that it needs. */
  readonly permission: string;
  /** A place in the code that uses it. */
  readonly at: string;
}

export interface SuggestedItem {
  readonly permission: SuggestedKind;
  /** The scope in the manifest's form; `true` for a permission without scopes. */
  readonly scope: string;
  /** The use in the code, e.g. `Date.now`. */
  readonly why: string;
  /** `lib/weather.ts:14:9`: the file relative to the plugin's directory, line and column from 1. */
  readonly at: string;
}

export interface OpenQuestion {
  readonly permission: SuggestedKind | 'none';
  /** A host that the code names and may reach, or a variable that a package reads if it is set. */
  readonly scope?: string;
  readonly what: string;
  readonly at: string;
}
