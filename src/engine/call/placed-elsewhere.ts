import type { UnnamedTool } from '../../catalog/catalog.js';
import type { RemoteTool } from '../../remotes/remote.js';

/** What is the same of a tool wherever it runs. */
export interface Place {
  /** Of what would run: what is approved is this, not its name. */
  readonly hash: string;
  /** Of its plugin. */
  readonly version: string | undefined;
}

/** At a server that we do not confine, or in the host itself. */
export interface PlacedElsewhere extends Place {
  readonly remote: RemoteTool;
  /** Calls under way at its server. */
  readonly load: { underWay: number };
  /** It is the host's own, which may know all that the caller tells of the run. */
  readonly isHosts?: boolean;
  readonly format: undefined;
}

/** A tool that runs elsewhere, and where. */
export interface PlacedTool {
  readonly tool: UnnamedTool;
  readonly place: PlacedElsewhere;
}
