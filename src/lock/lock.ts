import type { FormatName } from '../plugin/plugin.js';
import type { RiskBand } from '../plugin/risk.js';
import type { CompactPermissions } from './compact.js';

/**
 * What an operator said yes to: which plugins run here, which code of theirs, with which
 * permissions. Small and sorted, to be read, reviewed and kept with the host's own sources.
 */
export interface Lock {
  readonly version: 1;
  /** By the plugin's id, sorted. */
  readonly plugins: Readonly<Record<string, LockedPlugin>>;
}

export interface LockedPlugin extends Pin {
  readonly format: FormatName;
  /** Its directory, relative to the lock file's, with `/` between segments. */
  readonly source: string;
  /** Absent: it runs. */
  readonly disabled?: true;
  /** What it was before, newest first, for going back. */
  readonly earlier?: readonly Pin[];
}

/** One version of a plugin, as somebody looked at it and accepted it. */
export interface Pin {
  readonly version?: string;
  /** Hashes of its bundles, by entry. */
  readonly bundles: Readonly<Record<string, string>>;
  /** Where its manifest and its bundles are kept, `sha256-…`: the address is their hash. */
  readonly kept: string;
  /** What it was granted. What is not here it does not get, whatever it declares. */
  readonly granted: CompactPermissions;
  /** What it declares, where that is not what it was granted. */
  readonly declared?: CompactPermissions;
  /** Its author's hints may lower the risk of its tools. */
  readonly trustHints?: true;
  /** It may run without a compartment, with everything that this user may do. */
  readonly unconfined?: true;
  /** Its tools, by their id, as they described themselves. */
  readonly tools: Readonly<Record<string, LockedTool>>;
  /** Hosts that its code names. */
  readonly hosts: readonly string[];
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
}

export interface LockedTool {
  readonly risk: RiskBand;
  /** Its manifest requires approval. */
  readonly asks?: true;
  /** sha256 over what models are told of it, in hex, its first 16 characters. */
  readonly description: string;
  /** The same over the JSON Schema of its input. */
  readonly schema: string;
}

/** Earlier versions that are remembered. */
export const MAX_EARLIER = 5;
