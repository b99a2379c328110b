import type { Inspection } from '../../engine/inspect-plugin.js';
import type { Lockfile } from '../../engine/lockfile.js';
import type { PublicKey } from '../../keys/signing-key.js';
import type { Changes } from '../../lock/changes.js';
import { type FileDiff, sourceDiff } from '../../lock/source-diff.js';
import { explainPermissions } from '../../permissions/permissions.js';

/** The current version of a locked plugin, compared with the accepted one. */
export interface UpdateReview {
  readonly inspected: Inspection;
  /** The key that signed it, if one was verified. */
  readonly signer: PublicKey | undefined;
  readonly changes: Changes;
  /** The differences of the sources, from the source maps of both artifacts. */
  code(): readonly FileDiff[];
}

/** `keys`: the required signing keys; `undefined` if the operator named none. */
export async function reviewUpdate(
  lock: Lockfile,
  id: string,
  keys: readonly PublicKey[] | undefined,
): Promise<UpdateReview> {
  const inspected = await lock.inspect(lock.directoryOf(id));
  const signer = lock.verifySignature(inspected, keys);
  const before = await lock.inspectAccepted(id).catch(() => undefined);
  return {
    inspected,
    signer,
    changes: lock.changes(id, inspected, { signer, before }),
    code: () =>
      sourceDiff(before?.artifact.bundles ?? {}, inspected.artifact.bundles, {
        isStored: before !== undefined,
      }),
  };
}

/** What `add --json` shows of a plugin: its permissions in sentences, and its tools with their texts. */
export function reviewOf(inspected: Inspection): object {
  const { plugin, declared, hosts, tools, problems, unconfined, hostTools } = inspected;
  return {
    id: plugin.id,
    version: plugin.version ?? null,
    permissions: explainPermissions(declared),
    hosts,
    unconfined,
    hostTools,
    problems,
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
