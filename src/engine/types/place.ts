import type { UnnamedTool } from '../../catalog/catalog.js';
import type { RemoteTool } from '../../remotes/remote.js';

/** Properties of a tool that do not depend on where it runs. */
export interface Place {
  /** The hash of the code that runs. An approval applies to this hash, not to a name. */
  readonly hash: string;
  /** The version of its plugin. */
  readonly version: string | undefined;
}

/** A tool on an unconfined server, or in the host itself. */
export interface PlacedElsewhere extends Place {
  readonly remote: RemoteTool;
  /** Running calls at its server. */
  readonly load: { underWay: number };
  /** Whether it is the host's own tool. Only such a tool may see the caller's whole context. */
  readonly isHosts?: boolean;
  readonly format: undefined;
}

/** A tool that runs outside of guests, with its place. */
export interface PlacedTool {
  readonly tool: UnnamedTool;
  readonly place: PlacedElsewhere;
}
