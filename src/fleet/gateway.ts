import { type Agent, makeAgent } from '../agent/agent.js';
import type { AgentOptions } from '../agent/options.js';
import { parseAnchors } from '../audit/verify.js';
import type { Engine } from '../engine/engine-api.js';
import { openEngine } from '../engine/engine.js';
import type { EngineOptions } from '../engine/types/options.js';
import { BulkheadError } from '../errors.js';
import { readPublicKeys, readSigningKey } from '../keys/key-file.js';
import { openLock } from '../engine/plugins/lock.js';
import { createAuditStream } from './audit-stream.js';
import { type AuditWatch, type RunnerAudit, watchAudit } from './audit-watch.js';
import { fetchArtifacts, publishArtifacts } from './artifacts.js';
import { makeAnswerer } from './answer-asked.js';
import { openBodies } from './bodies.js';
import { makeFleetCarrier } from './carrier.js';
import { type Cell, connectCell } from './connection.js';
import { EPOCH_EVERY_MS, gatewayId, sealEpoch } from './epoch.js';
import { readHeartbeat } from './heartbeat.js';
import type { GatewayOptions, RunnerStatus } from './options.js';
import { publishPowers } from './lent-powers.js';
import { openPins } from './pins.js';
import { openRevocations, type Revocations } from './revocations.js';
import { makeRunnerTable } from './runner-table.js';
import { aboutSession, makeSessionParty } from './session.js';
import { requireName } from './subjects.js';
import { BULKHEAD_VERSION } from './version.js';

/** An engine whose tools run on the runners of a cell. */
export interface Gateway extends Engine {
  /** An agent whose turns use this gateway's tools and hooks. Throws `INVALID_OPTIONS`. */
  agent(options: AgentOptions): Agent;
  /** The runners of the cell, as their heartbeats describe them. */
  runners(): readonly RunnerStatus[];
  /**
   * Sends the calls of a plugin that keeps state to another runner from now on, for one tenant. Move its
   * storage directory there before. Default of `tenant`: calls without a tenant.
   */
  movePlugin(plugin: string, runner: string, tenant?: string): Promise<void>;
  /**
   * Verifies the audit logs of all runners that NATS has. `keys`: files with public keys, by which each record
   * must be signed. Default: signatures are not verified. `anchors`: by runner, texts with anchors that its log
   * must contain, as `bulkhead fleet anchor` prints them. Default: none. Throws `INVALID_OPTIONS` for a text
   * without an anchor.
   */
  verifyAudit(options?: {
    readonly keys?: readonly string[];
    readonly anchors?: Readonly<Record<string, readonly string[]>>;
  }): Promise<readonly RunnerAudit[]>;
}

/**
 * Opens an engine that decides about calls, and sends them to runners. The plugins' hooks, the programs, and the
 * tools of the host and of remote servers run in this process. Throws the errors of `createEngine`, `INVALID_KEY`,
 * and `FLEET_FAILED` if NATS cannot be reached.
 */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { fleet, ...engineOptions } = options;
  if (typeof options.lockFile !== 'string') {
    throw new BulkheadError(
      'INVALID_OPTIONS',
      'A gateway needs the option lockFile: runners run only what a lock file accepts. Create one with `bulkhead add`.',
      { option: 'lockFile' },
    );
  }
  const key = readSigningKey(fleet.signKey);
  const cell = await connectCell(fleet);
  try {
    return await openGateway(engineOptions, { cell, key, maxCalls: fleet.maxCalls ?? 1_000 });
  } catch (error) {
    await cell.connection.close();
    throw error;
  }
}

async function openGateway(
  options: EngineOptions,
  {
    cell,
    key,
    maxCalls,
  }: {
    readonly cell: Cell;
    readonly key: ReturnType<typeof readSigningKey>;
    readonly maxCalls: number;
  },
): Promise<Gateway> {
  const { connection, subjects } = cell;
  const id = gatewayId({ key: key.id, gateway: cell.name });
  const runners = makeRunnerTable({ gateway: id, version: BULKHEAD_VERSION, now: Date.now });
  const pins = openPins(cell);
  // Larger than any number before the last start, as long as the clock does not run backwards.
  let number = Date.now();
  const sessions = makeSessionParty();
  const bodies = openBodies(cell);
  const carrier = makeFleetCarrier({
    cell,
    key,
    version: BULKHEAD_VERSION,
    runners,
    bodies,
    sessionWith: ({ runner, session, sessions: known }) =>
      known.includes(sessions.publicKey)
        ? sessions.keyWith(session, aboutSession(cell.cell, id, runner))
        : undefined,
    answer: makeAnswerer({ cell, key, bodies }),
    pins,
    maxCalls,
    epoch: () => number,
    now: Date.now,
  });
  // Another gateway may have published what is not on this machine.
  await fetchArtifacts(cell, openLock(options.lockFile ?? '', options.trustFile));
  const { engine, lock } = await openEngine(options, carrier);
  const { revoke, setEnabled, reload, close: closeEngine } = engine;
  /** Another lock file may not have the plugin: then there is nothing to apply. */
  const applied = (change: Promise<void>): void => void change.catch(() => undefined);
  let revocations: Revocations | undefined;
  let watch: AuditWatch | undefined;
  const state = (): void => {
    // Before it knows what is revoked, a gateway states nothing, and no runner takes its calls.
    if (revocations === undefined || connection.isClosed()) return;
    number = Math.max(number + 1, Date.now());
    connection.publish(
      subjects.epoch(cell.name),
      sealEpoch(key, {
        gateway: cell.name,
        cell: cell.cell,
        number,
        session: sessions.publicKey,
        ...revocations.current(),
      }),
    );
  };
  const heartbeats = connection.subscribe(subjects.heartbeat('*'), {
    callback: (error, message) => {
      if (error !== null) return;
      const heartbeat = readHeartbeat(message.string());
      // guard: fleet-heartbeat-of-its-sender
      if (heartbeat?.runner !== subjects.lastToken(message.subject)) return;
      // A runner that has just started waits for this.
      if (runners.hear(heartbeat) || !heartbeat.hears.includes(id)) state();
    },
  });
  const timer = setInterval(() => {
    state();
    carrier.checkRunners();
  }, EPOCH_EVERY_MS);
  const close = async (): Promise<void> => {
    clearInterval(timer);
    heartbeats.unsubscribe();
    revocations?.close();
    await watch?.close();
    carrier.close();
    await closeEngine();
    await connection.drain().catch(() => connection.close());
  };
  let closing: Promise<void> | undefined;
  try {
    if (lock !== undefined) await publishArtifacts(cell, lock);
    await publishPowers(cell, key, options.powers ?? []);
    // A runner waits for this.
    await createAuditStream(cell);
    watch = await watchAudit({
      cell,
      onBroken: (runner, why) =>
        options.logger?.error(
          { runner },
          `The audit log of the runner ${runner} is not intact: ${why}. Find out who changed it, and compare it with the calls of the gateways.`,
        ),
    });
    revocations = await openRevocations({
      cell,
      pinOf: (plugin) => lock?.read().plugins[plugin],
      apply: ({ plugin, permissions, disabled }) => {
        if (permissions.length > 0) applied(revoke(plugin, ...permissions));
        if (disabled !== undefined) applied(setEnabled(plugin, !disabled));
        state();
      },
    });
    state();
  } catch (error) {
    await close();
    throw error;
  }
  return Object.assign(engine, fleetMembers(revocations, watch));

  function fleetMembers(
    { revoke: noteRevoked, setDisabled, save }: Revocations,
    { broken, verifyAll }: AuditWatch,
  ): Omit<Gateway, Exclude<keyof Engine, Replaced>> {
    return {
      agent: (agentOptions) => makeAgent(engine, agentOptions),
      runners: () =>
        runners.list().map((runner) => {
          const auditBroken = broken(runner.name);
          return auditBroken === undefined ? runner : { ...runner, auditBroken };
        }),
      verifyAudit: async ({ keys, anchors = {} } = {}) =>
        verifyAll({
          ...(keys === undefined ? {} : { keys: keys.flatMap(readPublicKeys) }),
          anchors: new Map(
            Object.entries(anchors).map(([runner, texts]) => [
              requireName('runner', runner),
              texts.flatMap((text) => parseAnchors(text)),
            ]),
          ),
        }),
      movePlugin: (plugin, runner, tenant) =>
        pins.move(tenant, plugin, requireName('runner', runner)),
      grant: (plugin) => Promise.reject(cannotGrant(plugin)),
      revoke: async (plugin, ...permissions) => {
        const done = revoke(plugin, ...permissions);
        noteRevoked(plugin, permissions);
        state();
        await done;
        await save(plugin);
      },
      setEnabled: async (plugin, enabled) => {
        const done = setEnabled(plugin, enabled);
        setDisabled(plugin, !enabled);
        state();
        await done;
        await save(plugin);
      },
      reload: async (reloadOptions) => {
        await reload(reloadOptions);
        if (lock !== undefined) await publishArtifacts(cell, lock);
      },
      close: () => (closing ??= close()),
      [Symbol.asyncDispose]: () => (closing ??= close()),
    };
  }
}

/** The members of an engine that a gateway replaces. */
type Replaced = 'grant' | 'revoke' | 'setEnabled' | 'reload' | 'close' | typeof Symbol.asyncDispose;

function cannotGrant(plugin: string): BulkheadError<'INVALID_OPTIONS'> {
  return new BulkheadError(
    'INVALID_OPTIONS',
    `A gateway grants nothing while it runs: each runner verifies the grant against its own lock file. Accept more permissions of ${plugin} in the lock file, and restart gateways and runners with it.`,
    { option: 'plugin' },
  );
}
