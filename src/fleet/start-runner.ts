import { openEngine } from '../engine/engine.js';
import { openLock } from '../engine/plugins/lock.js';
import { readPublicKeys } from '../keys/key-file.js';
import { fetchArtifacts } from './artifacts.js';
import { makeGatewayAsker } from './ask-gateway.js';
import { makeAuditStore, waitForAuditStream } from './audit-stream.js';
import { openBodies } from './bodies.js';
import { connectCell } from './connection.js';
import { fetchPowers } from './lent-powers.js';
import type { RunnerOptions } from './options.js';
import type { Runner } from './runner-api.js';
import { OpenRunner } from './runner.js';
import { openSpentCalls } from './spent-calls.js';
import { tenantToken } from './subjects.js';

/** Milliseconds that a runner waits for the first gateway of its cell. */
const GATEWAY_WAIT_MS = 30_000;

/**
 * Fetches the artifacts that the lock file accepts, and runs calls of trusted gateways. Throws the errors of
 * `createEngine`, `INVALID_KEY`, and `FLEET_FAILED` if NATS cannot be reached.
 */
export async function startRunner(options: RunnerOptions): Promise<Runner> {
  const { fleet, ...engineOptions } = options;
  const { maxCalls = 64, tenants, stateDirectory, gatewayKeys } = fleet;
  const lock = openLock(options.lockFile, options.trustFile);
  const keys = new Map(gatewayKeys.flatMap(readPublicKeys).map((key) => [key.id, key]));
  const spent = openSpentCalls(stateDirectory, Date.now);
  const tokens = tenants?.map((tenant) => tenantToken(tenant));
  const cell = await connectCell(fleet);
  try {
    const { audit = {} } = engineOptions;
    const isInStream = audit.file === undefined && audit.store === undefined;
    if (isInStream) await waitForAuditStream(cell, GATEWAY_WAIT_MS);
    let missing = await fetchArtifacts(cell, lock);
    const bodies = openBodies(cell);
    const asker = makeGatewayAsker({ cell, keys, bodies });
    const own = engineOptions.powers ?? [];
    const lent = (await fetchPowers(cell, keys)).filter(
      (power) => !own.some(({ name }) => name === power.name),
    );
    const opened = await openEngine({
      ...engineOptions,
      approve: engineOptions.approve ?? asker.approve,
      powers: [...own, ...lent.map(asker.powerOf)],
      audit: isInStream ? { ...audit, store: makeAuditStore(cell) } : audit,
    });
    const runner = new OpenRunner({
      cell,
      keys,
      spent,
      lock,
      tokens,
      tenants,
      maxCalls,
      bodies,
      asker,
      engine: opened.engine,
      runAdmitted: opened.runAdmitted,
      missing: () => missing,
      fetch: async () => {
        missing = await fetchArtifacts(cell, lock);
      },
    });
    runner.start();
    // The server has the subscriptions when this returns.
    await cell.connection.flush();
    return runner;
  } catch (error) {
    spent.close();
    await cell.connection.close();
    throw error;
  }
}
