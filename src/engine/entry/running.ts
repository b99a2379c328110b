import type { JsonObject } from '../../../sandbox/wire/messages.js';
import type { GuestEndCause } from '../../events.js';
import type { Format } from '../../formats/format.js';
import { formats } from '../../formats/table.js';
import type { Grant } from '../../permissions/grant.js';
import type { Permissions } from '../../permissions/kind.js';
import type { Bundle, PluginEntry } from '../../plugin/plugin.js';
import type { Offer } from '../../plugin/tool.js';
import type { EntryListener, OpenEntry } from './entry.js';
import type { EntrySpec } from './entry-spec.js';
import type { InstalledEntry, RunnableTool, RunningEntry } from '../plugins/installed.js';
import { keepRunning } from './keep-running.js';
import { listTool } from '../plugins/list-tool.js';
import type { Offers } from './offers.js';
import { makeReconciler, type Reconciler } from './reconciler.js';
import type { Schemas } from './resident.js';
import { makeRevocation, type Revocation } from '../call/revocation.js';
import { makeRooms, type Rooms } from './rooms.js';
import type { PluginProblem } from '../plugins/status.js';

export interface RunningSpec {
  readonly spec: EntrySpec & { readonly config: JsonObject };
  /** Where it was asked what it offers. */
  readonly room: OpenEntry;
  /** Where those of its tools run that want to be unconfined, if they may. */
  readonly outer: OpenEntry | undefined;
  /** What it answered. */
  readonly described: unknown;
  readonly offers: Offers;
  readonly onChange: () => void;
}

/**
 * For so long after its code was loaded, and until it is called, what a guest registers counts as
 * what every guest of the entry begins with: many ask their storage before they register.
 */
const BOOT_MS = 2_000;

/** An entry that can be called, with what it offers and holds as both are at the time. */
export function runEntry(spec: RunningSpec): InstalledEntry {
  return new Running(spec);
}

/** A class, because there is one for every entry that is installed, most of which nobody ever calls. */
class Running implements InstalledEntry, RunningEntry, EntryListener {
  readonly entry: PluginEntry;
  readonly spec: RunningSpec;
  readonly format: Format;
  readonly revocations = new Map<string, Revocation>();
  readonly restart: ((cause: GuestEndCause) => void) | undefined;
  offer: Offer;
  tools: readonly RunnableTool[];
  #rooms: Rooms | undefined;
  /** What a guest of its that was just loaded offers, and what the one that runs does. */
  atFirst: unknown;
  now: unknown;
  #reconciler: Reconciler | undefined;

  constructor(running: RunningSpec) {
    const { spec, room, described } = running;
    this.spec = running;
    this.entry = spec.entry;
    this.format = formats[spec.plugin.format];
    this.atFirst = described;
    this.now = described;
    this.offer = this.readOffer();
    this.tools = this.placeTools();
    this.restart = this.format.registersAtRunTime === true ? keepRunning(spec, room) : undefined;
    room.listen(this);
  }

  get effective(): Permissions {
    return this.spec.room.grant.permissions;
  }

  get rooms(): readonly OpenEntry[] {
    const { room, outer } = this.spec;
    const all = this.#rooms?.all() ?? [room];
    return outer === undefined ? all : [...all, outer];
  }

  get problems(): readonly PluginProblem[] {
    return problemsOf(this.spec.spec.bundle, this.offer);
  }

  get running(): RunningEntry {
    return this;
  }

  follow(grant: Grant): Promise<void> {
    const followed = this.roomsByGrant.follow(grant);
    this.read();
    const { revocations, tools } = this;
    for (const revocation of forget(revocations, tools)) revocation.happen();
    this.spec.onChange();
    return followed;
  }

  async refresh(): Promise<void> {
    const { spec, room, offers } = this.spec;
    const { id } = spec.plugin;
    const running = room.resident.current !== undefined;
    this.take(running ? await offers.ask(id, room) : await offers.of(id, room, spec.config));
  }

  offers(): void {
    this.reconciler.notice();
  }

  loaded(): void {
    if (this.format.registersAtRunTime === true) this.reconciler.notice();
  }

  ended(cause: GuestEndCause): void {
    // What it registered as it ran is gone with it.
    if (cause !== 'closed') this.take(this.atFirst);
    this.restart?.(cause);
  }

  get roomsByGrant(): Rooms {
    return (this.#rooms ??= makeRooms(this.spec.spec, this.spec.room));
  }

  get reconciler(): Reconciler {
    return (this.#reconciler ??= makeReconciler({
      now: () => performance.now(),
      ask: () => this.spec.offers.ask(this.spec.spec.plugin.id, this.spec.room),
      take: (answer) => this.reconcile(answer),
    }));
  }

  reconcile(answer: unknown): void {
    const { spec, room, offers } = this.spec;
    const { current, ageMs } = room.resident;
    if (current?.calls === 0 && ageMs < BOOT_MS) {
      this.atFirst = answer;
      // What cannot be kept is asked again another time.
      offers.keep(room, spec.config, answer).catch(() => {});
    }
    this.take(answer);
  }

  take(answer: unknown): void {
    if (JSON.stringify(answer) === JSON.stringify(this.now)) return;
    this.now = answer;
    this.read();
    forget(this.revocations, this.tools);
    this.spec.onChange();
  }

  read(): void {
    this.offer = this.readOffer();
    this.tools = this.placeTools();
  }

  readOffer(): Offer {
    const { spec, room, outer } = this.spec;
    const { plugin, entry, bundle, settings } = spec;
    return this.format.readOffer(this.now, {
      plugin,
      entry,
      granted: room.grant.permissions,
      broken: bundle.broken.map(({ file }) => file),
      maxTimeoutMs: settings.limits.timeoutMs,
      hostMode: outer !== undefined,
    });
  }

  placeTools(): readonly RunnableTool[] {
    const { spec, outer } = this.spec;
    const { plugin, config, settings } = spec;
    const rooms = this.roomsByGrant;
    const tools = this.offer.tools.map((tool): RunnableTool => {
      const own = (tool.executionTarget === 'host' ? outer : undefined) ?? rooms.of(tool);
      const { grant } = own;
      const revoked = revocationOf(this.revocations, tool.toolId);
      const listed = listTool({ plugin, entry: own.entry, tool, config, grant, settings });
      return { listed, room: own, revoked };
    });
    tellSchemas(this.rooms, this.offer);
    return tools;
  }
}

function revocationOf(revocations: Map<string, Revocation>, toolId: string): Revocation {
  const revocation = revocations.get(toolId) ?? makeRevocation();
  revocations.set(toolId, revocation);
  return revocation;
}

/** Takes out those whose tools are gone. */
function forget(
  revocations: Map<string, Revocation>,
  tools: readonly RunnableTool[],
): readonly Revocation[] {
  const left = new Set(tools.map(({ listed }) => listed.tool));
  return [...revocations].flatMap(([toolId, revocation]) => {
    if (left.has(toolId)) return [];
    revocations.delete(toolId);
    return [revocation];
  });
}

function problemsOf(bundle: Bundle, offer: Offer): readonly PluginProblem[] {
  return [
    ...bundle.broken.map(({ message }): PluginProblem => ({ code: 'BUNDLE_FAILED', message })),
    ...offer.refused,
    ...offer.problems.map((message): PluginProblem => ({ code: 'INVALID_TOOL', message })),
  ];
}

function tellSchemas(rooms: readonly OpenEntry[], { tools }: Offer): void {
  const schemas: Schemas = tools.map(({ toolId, parameters }) => [toolId, parameters.schema]);
  for (const room of rooms) room.setSchemas(schemas);
}
