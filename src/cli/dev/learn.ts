import type { Engine } from '../../engine/engine-api.js';
import type { BulkheadEvent, EventOf } from '../../events.js';
import type { PermissionName, Permissions } from '../../permissions/kind.js';
import { NO_PERMISSIONS } from '../../permissions/permissions.js';
import { permissionNames } from '../../permissions/table.js';
import type { SuggestedPermissions, Suggestion } from '../../suggest/suggestion.js';
import type { PackageLearning } from './learn-packages.js';

/** A permission that the plugin used, or asked for in vain. */
export interface LearnedPermission {
  readonly kind: PermissionName;
  /** In the manifest's form; `true` for a kind without scopes. */
  readonly scope: string;
  /** A place in the sources. Absent if it is not known. */
  readonly at?: string;
  /** Whether the author did not allow it, so that the plugin could not do it. */
  readonly refused: boolean;
}

/** Observes what a plugin uses. */
export interface Learning {
  /** What it gets at first. Time, randomness and storage are added when they are asked for. */
  grant(suggestion: Pick<Suggestion, 'items'>): Permissions;
  /** Listens to all events of the engine, from its start. */
  readonly onEvent: (event: BulkheadEvent) => void;
  /**
   * Grants what was just asked for, also to packages. Returns whether a call may now be repeated: it has sent
   * nothing.
   */
  grantAsked(engine: Engine, plugin: string): Promise<boolean>;
  /** Called before each call. */
  begin(tool: string): void;
  /** The tools that were called. */
  readonly called: ReadonlySet<string>;
  learned(suggestion: Suggestion): readonly LearnedPermission[];
}

/**
 * `allowed`: what the author allows besides what the plugin's code names. `packages`: observes the plugin's separate
 * npm packages.
 */
export function makeLearning(
  allowed: () => Pick<Permissions, 'network' | 'fs' | 'powers'>,
  packages?: PackageLearning,
): Learning {
  const seen = new Map<string, LearnedPermission>();
  const called = new Set<string>();
  const added = new Set<PermissionName>();
  let asked: PermissionName[] = [];
  let hasEffect = false;

  const note = (event: EventOf<'capability-used' | 'capability-denied'>): void => {
    const { permission, wanted, at, type } = event;
    if (permission === 'builtin') return;
    if (event.package !== undefined && type === 'capability-denied') {
      packages?.note(event, scopeOf(permission, wanted));
      // The plugin has it, or learns by its own request that it needs it.
      if (!GRANTED_TO_PACKAGES.has(permission)) return;
    }
    const refused = type === 'capability-denied';
    if (refused && GRANTED_LATER.has(permission)) asked.push(permission);
    if (!refused && permission !== 'env') hasEffect = true;
    // A request for a file may look into the storage first.
    if (!refused && GRANTED_LATER.has(permission)) return;
    const scope = scopeOf(permission, wanted);
    if (scope === undefined) return;
    const key = `${permission} ${scope}`;
    const before = seen.get(key);
    const isRefused = refused && !GRANTED_LATER.has(permission);
    seen.set(key, {
      kind: permission,
      scope,
      refused: (before?.refused ?? true) && isRefused,
      ...(before?.at === undefined ? (at === undefined ? {} : { at }) : { at: before.at }),
    });
  };

  return {
    called,
    grant: ({ items }) => ({
      ...NO_PERMISSIONS,
      time: added.has('time'),
      random: added.has('random'),
      storage: added.has('storage'),
      ...allowed(),
      env: scopesIn(items, 'env'),
      // Files elsewhere are not the plugin's: the author names them.
      // guard: learning-within-plugin
      fs: [...new Set([...scopesIn(items, 'fs').filter(isOwnPath), ...allowed().fs])],
    }),
    onEvent: (event) => {
      if (event.type === 'capability-used' || event.type === 'capability-denied') note(event);
    },
    grantAsked: async (engine, plugin) => {
      const kinds = [...new Set(asked)].filter((kind) => !added.has(kind));
      asked = [];
      for (const kind of kinds) added.add(kind);
      if (kinds.length > 0) await engine.grant(plugin, ...kinds);
      const isWider = packages?.grantAsked() ?? false;
      if (isWider) {
        // A package gets its permissions when its guest starts.
        await engine.setEnabled(plugin, false);
        await engine.setEnabled(plugin, true);
      }
      return (kinds.length > 0 || isWider) && !hasEffect;
    },
    begin: (tool) => {
      called.add(tool);
      asked = [];
      hasEffect = false;
    },
    learned: (suggestion) => {
      const found = [...seen.values()].map((one) => withPlace(one, suggestion));
      // A variable is read without a request, so its use is known from the code alone.
      const variables = suggestion.items
        .filter(({ permission }) => permission === 'env')
        .map(({ scope, at }) => ({ kind: 'env' as const, scope, at, refused: false }));
      const all = new Map([...variables, ...found].map((one) => [`${one.kind} ${one.scope}`, one]));
      return [...all.values()].toSorted(
        (a, b) => permissionNames.indexOf(a.kind) - permissionNames.indexOf(b.kind),
      );
    },
  };
}

/** Kinds that the plugin gets when it asks for them. The engine reports only denied uses of a clock. */
const GRANTED_LATER: ReadonlySet<PermissionName> = new Set(['time', 'random', 'storage']);

/** Kinds that a package can only have if the plugin has them. */
const GRANTED_TO_PACKAGES: ReadonlySet<PermissionName> = new Set(['time', 'random', 'network']);

/** Whether a path leads into the plugin's directory. */
function isOwnPath(path: string): boolean {
  return !path.startsWith('/') && !path.startsWith('~') && !path.split('/').includes('..');
}

function scopesIn(items: Suggestion['items'], kind: PermissionName): readonly string[] {
  return [...new Set(items.flatMap((one) => (one.permission === kind ? [one.scope] : [])))];
}

/** The scope of a use, in the manifest's form; `undefined` if its text names none. */
function scopeOf(kind: PermissionName, wanted: string): string | undefined {
  switch (kind) {
    case 'network': {
      const [text = ''] = /https?:\/\/[^\s?#]+/.exec(wanted) ?? [];
      if (!URL.canParse(text)) return undefined;
      const { protocol, host, origin } = new URL(text);
      return protocol === 'https:' ? host : origin;
    }
    case 'fs': {
      const [path] = /"(?:[^"\\]|\\.)*"/.exec(wanted) ?? [/\S+$/.exec(wanted)?.[0] ?? ''];
      const text = path.startsWith('"') ? String(JSON.parse(path)) : path;
      return text === '' ? undefined : text;
    }
    case 'env':
    case 'powers':
      return wanted;
    default:
      return 'true';
  }
}

/** Adds the place where the code asks for it, if the use itself did not say it. */
function withPlace(learned: LearnedPermission, { items, open }: Suggestion): LearnedPermission {
  if (learned.at !== undefined) return learned;
  const { kind, scope } = learned;
  const own = items.filter(({ permission }) => permission === kind);
  const found =
    own.find((one) => bare(one.scope) === bare(scope)) ??
    open.find((one) => one.permission === kind && bare(one.scope ?? '') === bare(scope)) ??
    // The address is built at run time.
    open.find((one) => one.permission === kind) ??
    (own.length === 1 ? own[0] : undefined);
  return found === undefined ? learned : { ...learned, at: found.at };
}

function bare(scope: string): string {
  return scope.replace(/^https:\/\//, '').replace(/^\.\//, '');
}

/** The request for what was used, in the manifest's form. */
export function requestFor(learned: readonly LearnedPermission[]): SuggestedPermissions {
  const used = learned.filter(({ refused }) => !refused);
  return Object.fromEntries(
    permissionNames.flatMap((kind) => {
      const scopes = used.flatMap((one) => (one.kind === kind ? [one.scope] : []));
      if (scopes.length === 0) return [];
      return [[kind, scopes[0] === 'true' ? true : scopes.toSorted()] as const];
    }),
  );
}
