import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { formats } from '../../formats/table.js';
import type { Bundle } from '../../plugin/plugin.js';
import type { Offer } from '../../plugin/tool.js';
import type { OpenEntry } from './entry.js';
import type { EntrySpec } from './entry-spec.js';
import type { InstalledEntry, RunnableTool } from '../plugins/installed.js';
import { keepRunning } from './keep-running.js';
import { listTool } from '../plugins/list-tool.js';
import type { Offers } from './offers.js';
import { makeReconciler } from './reconciler.js';
import type { Schemas } from './resident.js';
import { makeRevocation, type Revocation } from '../call/revocation.js';
import { makeRooms } from './rooms.js';
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
export function runEntry({
  spec,
  room,
  outer,
  described,
  offers,
  onChange,
}: RunningSpec): InstalledEntry {
  const { plugin, entry, bundle, config, settings } = spec;
  const format = formats[plugin.format];
  const rooms = makeRooms(spec, room);
  const all = (): readonly OpenEntry[] => [...rooms.all(), ...(outer === undefined ? [] : [outer])];
  const revocations = new Map<string, Revocation>();
  let offer: Offer;
  let tools: readonly RunnableTool[] = [];
  /** What a guest of its that was just loaded offers, and what the one that runs does. */
  let atFirst = described;
  let now = described;

  const read = (): void => {
    offer = format.readOffer(now, {
      plugin,
      entry,
      granted: room.grant.permissions,
      broken: bundle.broken.map(({ file }) => file),
      maxTimeoutMs: settings.limits.timeoutMs,
      hostMode: outer !== undefined,
    });
    tools = offer.tools.map((tool): RunnableTool => {
      const own = (tool.executionTarget === 'host' ? outer : undefined) ?? rooms.of(tool);
      const { grant } = own;
      const revoked = revocationOf(revocations, tool.toolId);
      const listed = listTool({ plugin, entry: own.entry, tool, config, grant, settings });
      return { listed, room: own, revoked };
    });
    tellSchemas(all(), offer);
  };
  const take = (answer: unknown): void => {
    if (JSON.stringify(answer) === JSON.stringify(now)) return;
    now = answer;
    read();
    forget(revocations, tools);
    onChange();
  };
  read();

  const reconciler = makeReconciler({
    now: () => performance.now(),
    ask: () => offers.ask(plugin.id, room),
    take: (answer) => {
      const { current, ageMs } = room.resident;
      if (current?.calls === 0 && ageMs < BOOT_MS) {
        atFirst = answer;
        // What cannot be kept is asked again another time.
        offers.keep(room, config, answer).catch(() => {});
      }
      take(answer);
    },
  });
  const restart = format.registersAtRunTime === true ? keepRunning(spec, room) : undefined;
  room.listen({
    offers: reconciler.notice,
    loaded: () => {
      if (format.registersAtRunTime === true) reconciler.notice();
    },
    ended: (cause) => {
      // What it registered as it ran is gone with it.
      if (cause !== 'closed') take(atFirst);
      restart?.(cause);
    },
  });

  return {
    entry,
    get effective() {
      return room.grant.permissions;
    },
    get rooms() {
      return all();
    },
    get tools() {
      return tools;
    },
    get offer() {
      return offer;
    },
    get problems() {
      return problemsOf(bundle, offer);
    },
    running: {
      follow: (grant) => {
        const followed = rooms.follow(grant);
        read();
        for (const revocation of forget(revocations, tools)) revocation.happen();
        onChange();
        return followed;
      },
      refresh: async () => {
        const running = room.resident.current !== undefined;
        take(
          running ? await offers.ask(plugin.id, room) : await offers.of(plugin.id, room, config),
        );
      },
    },
  };
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
