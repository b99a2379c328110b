import type { Inspection } from '../../engine/inspect-plugin.js';
import { contentsOf } from '../../engine/pack-contents.js';
import type { AcceptedPackages } from '../../engine/accepted-packages.js';
import type { Lockfile } from '../../engine/lockfile.js';
import type { PublicKey } from '../../keys/signing-key.js';
import type { Changes } from '../../lock/changes.js';
import { expand } from '../../lock/compact.js';
import { type FileDiff, sourceDiff } from '../../lock/source-diff.js';
import type { PackageWants } from '../../lock/locked-packages.js';
import { explainPermissions } from '../../permissions/permissions.js';
import type { CliCapabilities } from '../capabilities.js';
import { isFetched } from './fetch.js';
import { formatPackages, readWants } from './packages.js';

/** The current version of a locked plugin, compared with the accepted one. */
export interface UpdateReview {
  readonly inspected: Inspection;
  /** The key that signed it, if one was verified. */
  readonly signer: PublicKey | undefined;
  /** What the code of each npm package uses, if they run separately and the code could be read. */
  readonly wants: Readonly<Record<string, PackageWants>> | undefined;
  readonly changes: Changes;
  /**
   * The packages of a fetched plugin that run as one bundle with its code, if the accepted version had none of them.
   * The operator was not asked about them.
   */
  readonly bundledAnew: readonly string[];
  /** The differences of the sources, from the source maps of both artifacts. */
  code(): readonly FileDiff[];
}

export interface ReviewOptions {
  /** The required signing keys. Default: none was named. */
  readonly keys?: readonly PublicKey[] | undefined;
  /** Where the current code is. Default: where the accepted code was. */
  readonly directory?: string;
}

export async function reviewUpdate(
  lock: Lockfile,
  id: string,
  capabilities: Pick<CliCapabilities, 'suggestPermissions' | 'packages'>,
  { keys, directory = lock.directoryOf(id) }: ReviewOptions = {},
): Promise<UpdateReview> {
  const granted = lock.read().plugins[id]?.granted;
  const inspected = await lock.inspect(
    directory,
    granted === undefined ? {} : { variables: expand(granted).env },
  );
  const signer = lock.verifySignature(inspected, keys);
  const before = await lock.inspectAccepted(id).catch(() => undefined);
  const wants = await readWants(inspected, capabilities);
  const isNewBundle =
    isFetched(directory, capabilities) &&
    inspected.packages === undefined &&
    // An accepted version that is not stored may have had none.
    contentsOf(before?.artifact ?? NO_BUNDLES).packages.length === 0;
  return {
    inspected,
    signer,
    wants,
    changes: lock.changes(id, inspected, { signer, before, wants }),
    bundledAnew: isNewBundle ? contentsOf(inspected.artifact).packages : [],
    code: () =>
      sourceDiff(before?.artifact.bundles ?? {}, inspected.artifact.bundles, {
        isStored: before !== undefined,
      }),
  };
}

const NO_BUNDLES = { bundles: {} };

/** What `add --json` shows of a plugin: its permissions in sentences, and its tools with their texts. */
export function reviewOf(inspected: Inspection, decided: AcceptedPackages | undefined): object {
  const { plugin, declared, hosts, tools, problems, unconfined, hostTools } = inspected;
  return {
    id: plugin.id,
    version: plugin.version ?? null,
    permissions: explainPermissions(declared),
    hosts,
    unconfined,
    hostTools,
    problems,
    ...(inspected.packages === undefined || decided === undefined
      ? {}
      : { packages: formatPackages(inspected.packages, decided) }),
    tools: Object.fromEntries(
      Object.entries(tools).map(([tool, { risk, requiresApproval, texts }]) => [
        tool,
        {
          risk,
          requiresApproval: requiresApproval === true,
          title: texts.title,
          description: texts.description,
          schema: JSON.parse(texts.schema),
          hints: JSON.parse(texts.hints),
        },
      ]),
    ),
  };
}
