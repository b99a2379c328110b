import { randomUUID } from 'node:crypto';
import type { Msg, Subscription } from '@nats-io/transport-node';
import type { OpenEngine } from '../engine/open-engine.js';
import { freeMemory } from '../engine/node/free-memory.js';
import type { AcceptedPlugins } from '../engine/types/settings.js';
import { messageOf } from '../errors.js';
import type { PublicKey } from '../keys/signing-key.js';
import { type AppliedRevocations, makeAppliedRevocations } from './apply-revocations.js';
import type { GatewayAsker } from './ask-gateway.js';
import type { Bodies } from './bodies.js';
import type { Cell } from './connection.js';
import { RETRY_AFTER_MS } from './call-failures.js';
import { type Envelope, openEnvelope } from './envelope.js';
import { gatewayId } from './epoch.js';
import { parse, type SessionOf } from './frame.js';
import { type GatewaysHeard, makeGatewaysHeard } from './gateways-heard.js';
import { type Heartbeat, HEARTBEAT_EVERY_MS } from './heartbeat.js';
import type { Runner, RunnerProblem } from './runner-api.js';
import { NOT_OPENED, type RunnerFacts, whyCallRefused } from './refuse-call.js';
import type { Refusal, Reply } from './reply.js';
import { type EnvelopeRunner, runEnvelope } from './run-envelope.js';
import { aboutSession, makeSessionParty, type SessionParty } from './session.js';
import type { SpentCalls } from './spent-calls.js';
import { hash12, RUN_QUEUE } from './subjects.js';
import { BULKHEAD_VERSION } from './version.js';

const DRAIN_MS = 30_000;

/** What a runner is made of. */
export interface RunnerSpec {
  readonly cell: Cell;
  readonly keys: ReadonlyMap<string, PublicKey>;
  readonly spent: SpentCalls;
  readonly lock: AcceptedPlugins;
  readonly tokens: readonly string[] | undefined;
  readonly tenants: readonly string[] | undefined;
  readonly maxCalls: number;
  readonly bodies: Bodies;
  readonly asker: GatewayAsker;
  readonly engine: OpenEngine['engine'];
  readonly runAdmitted: OpenEngine['runAdmitted'];
  readonly missing: () => ReadonlyMap<string, string>;
  readonly fetch: () => Promise<void>;
}

/** A call that runs, or is about to. */
interface Taken {
  /** The call and its attempt. */
  readonly id: string;
  readonly envelope: Envelope;
  /** The gateway, as `gatewayId` names it. */
  readonly gateway: string;
  readonly end: AbortController;
  /** A text is JSON already. */
  readonly reply: (answer: Reply | string) => void;
}

/** A runner with an open engine and connection. */
export class OpenRunner implements Runner {
  readonly spec: RunnerSpec;
  readonly instance: string = randomUUID();
  readonly gateways: GatewaysHeard;
  /** What a call is compared with, and how it runs. */
  readonly facts: RunnerFacts;
  readonly runs: EnvelopeRunner;
  readonly running: Map<string, Taken> = new Map();
  /** The running calls that have not begun. */
  readonly taken: Taken[] = [];
  readonly subscriptions: Map<string, readonly Subscription[]> = new Map();
  readonly others: Subscription[] = [];
  readonly revocations: AppliedRevocations;
  readonly sessions: SessionParty = makeSessionParty();
  readonly sessionOf: SessionOf = ({ key, gateway }) => {
    if (typeof key !== 'string' || typeof gateway !== 'string') return undefined;
    const { cell, name } = this.spec.cell;
    const id = gatewayId({ key, gateway });
    const other = this.gateways.sessionOf(id);
    return other === undefined
      ? undefined
      : this.sessions.keyWith(other, aboutSession(cell, id, name));
  };
  timer: NodeJS.Timeout | undefined;
  watch: NodeJS.Timeout | undefined;
  leaving = false;
  idle: () => void = () => {};
  closing: Promise<void> | undefined;

  constructor(spec: RunnerSpec) {
    this.spec = spec;
    this.revocations = makeAppliedRevocations(spec.engine, () => this.announce());
    this.gateways = makeGatewaysHeard({
      keys: spec.keys,
      cell: spec.cell.cell,
      now: () => performance.now(),
      apply: ({ isNew, ...change }) => {
        this.revocations.apply(change);
        // The gateway waits for it before it sends calls.
        if (isNew) this.beat();
      },
    });
    const { name, cell, subjects } = spec.cell;
    this.facts = { name, cell, subjects, tenants: spec.tenants, gateways: this.gateways };
    this.runs = { name, runAdmitted: spec.runAdmitted, bodies: spec.bodies };
  }

  get name(): string {
    return this.spec.cell.name;
  }

  get callsUnderWay(): number {
    return this.running.size;
  }

  get maxCalls(): number {
    return this.spec.maxCalls;
  }

  get state(): Runner['state'] {
    if (this.leaving) return 'leaving';
    return this.gateways.list().length > 0 ? 'ready' : 'deaf';
  }

  start(): void {
    const { cell } = this.spec;
    const { connection, subjects, name } = cell;
    this.others.push(
      this.spec.asker.start(),
      connection.subscribe(subjects.epoch('*'), {
        callback: (error, message) => {
          if (error === null) this.gateways.hear(message.data);
        },
      }),
      connection.subscribe(subjects.cancel(name, '*'), {
        callback: (error, message) => {
          if (error === null) this.running.get(subjects.lastToken(message.subject))?.end.abort();
        },
      }),
      connection.subscribe(subjects.alive(name), {
        callback: (error, message) => {
          if (error === null) this.answerAlive(message);
        },
      }),
    );
    this.serve();
    this.timer = setInterval(() => this.beat(), HEARTBEAT_EVERY_MS);
    this.watch = setInterval(() => this.stopDeaf(), WATCH_EVERY_MS);
    this.beat();
  }

  /** Subscribes to the calls of the artifacts that run here, and to no others. */
  serve(): void {
    const { cell, tokens } = this.spec;
    const { connection, subjects, name } = cell;
    const wanted = this.artifacts();
    for (const [artifact, subscriptions] of this.subscriptions) {
      if (wanted.includes(artifact)) continue;
      for (const one of subscriptions) one.unsubscribe();
      this.subscriptions.delete(artifact);
    }
    const callback = (error: Error | null, message: Msg): void => {
      if (error === null) this.receive(message);
    };
    for (const artifact of wanted) {
      if (this.subscriptions.has(artifact)) continue;
      const hash = hash12(artifact);
      this.subscriptions.set(artifact, [
        connection.subscribe(subjects.pin(name, hash), { callback }),
        ...(tokens ?? ['*']).map((tenant) =>
          connection.subscribe(subjects.call(tenant, hash), { queue: RUN_QUEUE, callback }),
        ),
      ]);
    }
  }

  /** The artifacts of the lock file that run here. */
  artifacts(): readonly string[] {
    const { lock, engine } = this.spec;
    const active = new Set(
      engine
        .plugins()
        .filter(({ state }) => state === 'active')
        .map(({ id }) => id),
    );
    return Object.entries(lock.read().plugins)
      .filter(([id, { disabled }]) => disabled !== true && active.has(id))
      .map(([, { artifact }]) => artifact);
  }

  beat(): void {
    const { cell, tenants, maxCalls, missing } = this.spec;
    if (!cell.isConnected()) return;
    const heartbeat: Heartbeat = {
      runner: cell.name,
      instance: this.instance,
      version: BULKHEAD_VERSION,
      artifacts: [...this.subscriptions.keys()],
      callsUnderWay: this.running.size,
      maxCalls,
      freeMemory: freeMemory(),
      leaving: this.leaving,
      ...(tenants === undefined ? {} : { tenants }),
      hears: this.gateways.list(),
      session: this.sessions.publicKey,
      sessions: this.gateways.sessions(),
    };
    cell.connection.publish(cell.subjects.heartbeat(cell.name), JSON.stringify(heartbeat));
    if (missing().size > 0 && !this.leaving) void this.fetchMissing().catch(() => undefined);
  }

  /** A gateway may have published a missing artifact in the meantime. */
  async fetchMissing(): Promise<void> {
    const before = this.spec.missing().size;
    await this.spec.fetch();
    if (this.spec.missing().size < before) await this.load();
  }

  /** Tells a gateway which of its calls do not run here: they have ended, or never arrived. */
  answerAlive(message: Msg): void {
    const asked = parse(message.string());
    if (!Array.isArray(asked)) return;
    message.respond(JSON.stringify(asked.filter((id) => !this.running.has(String(id)))));
  }

  /** Stops the calls of gateways that are not heard: they may have revoked what the calls use. */
  stopDeaf(): void {
    for (const { gateway, end } of this.running.values()) {
      if (!this.gateways.isFresh(gateway)) end.abort();
    }
  }

  /** Verifies a call, and takes it or refuses it. */
  receive(message: Msg): void {
    const reply = this.replierTo(message);
    const { name: runner } = this;
    const refuse = (reason: Refusal, text: string): void =>
      reply({ type: 'refused', runner, reason, message: `${runner} ${text}` });
    const envelope = openEnvelope(this.spec.keys, message.data, this.sessionOf);
    if (envelope === undefined || typeof envelope === 'string') {
      return refuse(...NOT_OPENED[envelope ?? 'unsigned']);
    }
    const refusal = whyCallRefused(envelope, message.subject, this.facts);
    if (refusal !== undefined) return reply({ type: 'refused', runner, ...refusal });
    if (this.leaving) return refuse('no-runner', 'is leaving. Start another runner.');
    if (this.running.size >= this.spec.maxCalls) {
      return reply({ type: 'busy', runner, retryAfterMs: RETRY_AFTER_MS });
    }
    const id = `${envelope.call}-${envelope.attempt}`;
    if (!this.spec.spent.spend(id, envelope.expiresAtMs)) {
      const text = `has already begun the call ${envelope.call}. It does not run twice.`;
      return refuse('not-trusted', text);
    }
    const taken = { id, envelope, gateway: gatewayId(envelope), end: new AbortController(), reply };
    this.running.set(id, taken);
    this.taken.push(taken);
    // Calls that arrived together are noted with one write.
    if (this.taken.length === 1) queueMicrotask(() => this.beginTaken());
  }

  replierTo({ reply: subject }: Msg): Taken['reply'] {
    const { connection } = this.spec.cell;
    return (answer) => {
      if (subject === undefined || connection.isClosed()) return;
      connection.publish(subject, typeof answer === 'string' ? answer : JSON.stringify(answer));
    };
  }

  /** Begins the calls that were taken, after their ids are on disk. */
  beginTaken(): void {
    const taken = this.taken.splice(0);
    try {
      // guard: fleet-call-noted-before-it-begins
      this.spec.spent.save();
    } catch (error) {
      const runner = this.name;
      const message = `${runner} cannot write to its state directory (${messageOf(error)}), and begins no call without a note of it. Free space there, or repair the disk.`;
      for (const { id, reply } of taken) {
        this.ended(id);
        reply({ type: 'refused', runner, reason: 'no-runner', message });
      }
      return;
    }
    for (const one of taken) void this.run(one);
  }

  async run({ id, envelope, end, reply }: Taken): Promise<void> {
    const { call, tenant, key, audience } = envelope;
    if (audience === '*') reply({ type: 'started', runner: this.name, instance: this.instance });
    const ended = this.spec.asker.began({ call, token: id, key, tenant, reply });
    try {
      reply(await runEnvelope(this.runs, envelope, end.signal, reply));
    } finally {
      ended();
      this.ended(id);
    }
  }

  ended(id: string): void {
    this.running.delete(id);
    if (this.running.size === 0) this.idle();
  }

  problems(): readonly RunnerProblem[] {
    const found = this.spec.engine.plugins().flatMap(({ id, problems }) =>
      problems
        // The sources of a plugin are not on the machine of a runner.
        .filter(({ code }) => code !== 'UPDATE_PENDING')
        .map(({ message }) => ({ plugin: id, message })),
    );
    const missing = [...this.spec.missing()].map(([plugin, message]) => ({ plugin, message }));
    return [...missing, ...found];
  }

  async reload(): Promise<void> {
    await this.spec.fetch();
    await this.load();
  }

  async load(): Promise<void> {
    await this.spec.engine.reload();
    this.revocations.applyAll(this.gateways.all());
    this.announce();
  }

  announce(): void {
    if (!this.leaving) this.serve();
    this.beat();
  }

  async drain(timeoutMs: number = DRAIN_MS): Promise<void> {
    this.leaving = true;
    const subscriptions = [...this.subscriptions.values()].flat();
    this.subscriptions.clear();
    this.beat();
    // Calls that are on the way are refused, and the gateway sends them elsewhere.
    await Promise.all(subscriptions.map((one) => one.drain()));
    if (this.running.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        this.idle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    await this.close();
  }

  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  async end(): Promise<void> {
    const { cell, engine } = this.spec;
    clearInterval(this.timer);
    clearInterval(this.watch);
    this.leaving = true;
    this.beat();
    for (const one of [...this.subscriptions.values()].flat()) one.unsubscribe();
    for (const one of this.others) one.unsubscribe();
    await engine.close();
    this.spec.spent.close();
    await cell.connection.drain().catch(() => cell.connection.close());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Milliseconds between two looks at which gateways are heard. */
const WATCH_EVERY_MS = 500;
