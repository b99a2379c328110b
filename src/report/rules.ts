import type { RiskBand } from '../plugin/risk.js';
import type { DeniedReport, Finding, PinReport, PluginReport, RuleName } from './report.js';
import { shellWord } from '../visible.js';

/** A finding of a rule in one plugin. */
export type FoundBy = Omit<Finding, 'rule' | 'plugin' | 'exception' | 'excepted'>;

export interface RuleContext {
  readonly plugin: PluginReport;
  /** The file that declares its permissions. */
  readonly manifest: string;
  /** Permissions added since the previous report or by an update in the log. */
  readonly wider: readonly string[];
  /** Whether there is a lock file. */
  readonly locked: boolean;
  readonly nowMs: number;
  /** Age in milliseconds after which an unused permission is a finding. */
  readonly unusedAfterMs: number;
}

export interface Rule {
  readonly name: RuleName;
  /** One sentence: what the rule finds, and why it matters. */
  readonly about: string;
  find(context: RuleContext): readonly FoundBy[];
}

const BANDS: readonly (RiskBand | null)[] = ['low', 'medium', 'high'];

export const riskUnderstated: Rule = {
  name: 'BH-RISK-UNDERSTATED',
  about: 'A tool declares a lower risk than its granted permissions prove.',
  find: ({ plugin, manifest }) =>
    plugin.tools
      .filter(
        ({ declaredRisk, risk }) =>
          declaredRisk !== null &&
          risk !== null &&
          BANDS.indexOf(declaredRisk) < BANDS.indexOf(risk),
      )
      .map(({ tool, declaredRisk, risk, why }) => ({
        level: 'note' as const,
        subject: tool,
        message: `${plugin.id}:${tool} declares ${declaredRisk ?? '?'} risk, but its risk is ${risk ?? '?'}: ${why ?? 'by its permissions'}.`,
        fix: `Declare that risk in ${manifest} or in the code, or grant fewer permissions.`,
        place: { file: manifest },
      })),
};

export const deniedAttempt: Rule = {
  name: 'BH-DENIED-ATTEMPT',
  about:
    'A plugin tried something that its permissions do not allow: its manifest is incomplete, or its code is hostile.',
  find: ({ plugin, manifest }) =>
    plugin.denied.map(({ kind, wanted, at, count, grantedSince, last }) => ({
      level: grantedSince ? ('note' as const) : ('error' as const),
      subject: `${kind} ${wanted}`,
      message: `${plugin.id} tried ${kind} ${wanted} ${count === 1 ? 'once' : `${count} times`}; each attempt was denied.${grantedSince ? ` The last one was on ${last.slice(0, 10)}. The plugin has the permission now.` : ''}`,
      fix: grantedSince
        ? 'If this grant was not meant, remove it from the options or the lock file.'
        : holdsAllOf(plugin, kind)
          ? `The plugin has the permission ${kind}, so that no grant changes this. Ask the author.`
          : `If the plugin needs it, grant it; a manifest that declares permissions must name it in ${kind} first (${manifest}). Else ask the author.`,
      place: placeOf(at) ?? { file: manifest },
    })),
};

/** Whether the plugin has a permission without scopes: there is nothing more of it to grant. */
function holdsAllOf({ permissions }: PluginReport, kind: DeniedReport['kind']): boolean {
  return (
    (kind === 'time' || kind === 'random' || kind === 'storage') &&
    permissions.some((one) => one.kind === kind && one.granted)
  );
}

/** Parses `src/index.ts:14:21`. The guest reports it, so a path outside the plugin is dropped. */
function placeOf(at: string | null): { file: string; line: number; column: number } | undefined {
  const { file, line, column } =
    /^(?<file>[^:]+):(?<line>\d+):(?<column>\d+)$/.exec(at ?? '')?.groups ?? {};
  if (file === undefined || file.startsWith('/') || file.split('/').includes('..'))
    return undefined;
  return { file, line: Math.max(1, Number(line)), column: Math.max(1, Number(column)) };
}

export const hostMode: Rule = {
  name: 'BH-HOST-MODE',
  about: 'A plugin without a sandbox has all rights of the host’s user.',
  find: ({ plugin, manifest }) =>
    plugin.confinement !== 'host'
      ? []
      : [
          {
            level: 'error' as const,
            subject: 'confinement',
            message: `${plugin.id} runs without a sandbox, so its permissions have no effect.`,
            fix: isServer(plugin)
              ? `Add "confine" to the remote ${plugin.id}, or accept it as a plugin if it is a package of npm.`
              : `Remove "sandbox": "host" from ${manifest}, and ${plugin.id} from the engine's hostMode.`,
            place: { file: manifest },
          },
        ],
};

/** Whether its tools are those of a server, which no manifest describes. */
function isServer({ format }: PluginReport): boolean {
  return format === 'mcp' || format === 'vertesia';
}

export const unpinned: Rule = {
  name: 'BH-UNPINNED',
  about: 'Code that is not pinned in a lock file can change without review.',
  find: ({ plugin, manifest, locked }) => {
    // The definitions of a server's tools are pinned apart from the plugins.
    if (plugin.pin?.current === true || plugin.state === 'gone' || isServer(plugin)) return [];
    const known = plugin.pin !== null;
    return [
      {
        level: 'warning' as const,
        subject: 'pin',
        message: known
          ? `The code of ${plugin.id} differs from the code that was pinned${plugin.pin?.at === null ? '' : ` on ${plugin.pin?.at ?? ''}`}.`
          : `${plugin.id} is not in a lock file${locked ? '' : '; there is no lock file'}.`,
        fix: known
          ? `Review the change (bulkhead diff ${shellWord(plugin.id)}), then accept it: bulkhead update ${shellWord(plugin.id)}.`
          : `Review and accept it: bulkhead add ${shellWord(plugin.directory ?? plugin.id)}.`,
        place: { file: manifest },
      },
    ];
  },
};

const DAY_MS = 86_400_000;

export const unused: Rule = {
  name: 'BH-PERM-UNUSED',
  about: 'A granted permission that is never used only helps an attacker.',
  find: ({ plugin, manifest, nowMs, unusedAfterMs }) =>
    plugin.permissions
      .filter(
        ({ granted, observed, uses, grantedSince, lastUsed }) =>
          granted &&
          observed &&
          uses === 0 &&
          lastUsed === null &&
          grantedSince !== null &&
          nowMs - Date.parse(grantedSince) >= unusedAfterMs,
      )
      .map(({ kind, scope, declared }) => ({
        level: 'warning' as const,
        subject: `${kind} ${scope}`,
        message: `${plugin.id} has not used ${kind} ${scope} for ${Math.floor(unusedAfterMs / DAY_MS)} days or more.`,
        fix: declared
          ? `Remove ${JSON.stringify(scope)} from ${kind} in ${manifest}, or grant less.`
          : `Grant less: its manifest does not request ${JSON.stringify(scope)}.`,
        place: { file: manifest },
      })),
};

export const wide: Rule = {
  name: 'BH-PERM-WIDE',
  about: 'A permission for a whole domain or for all files covers more than was reviewed.',
  find: ({ plugin, manifest }) =>
    plugin.permissions
      .filter(({ kind, scope, granted }) => granted && isWide(kind, scope))
      .map(({ kind, scope, sentence }) => ({
        level: 'warning' as const,
        subject: `${kind} ${scope}`,
        message: `${plugin.id} has ${kind} ${scope}: ${sentence}`,
        fix: `List the ${kind === 'network' ? 'hosts' : 'directories'} that the plugin needs in ${manifest}, and grant only those.`,
        place: { file: manifest },
      })),
};

function isWide(kind: string, scope: string): boolean {
  if (kind === 'network') return /(?:^|\/\/|\s)\*/.test(scope);
  return kind === 'fs' && (scope === '/' || /^\/[^/]+$/.test(scope));
}

export const exfilPair: Rule = {
  name: 'BH-EXFIL-PAIR',
  about: 'A plugin that can read private data and reach a server can send the data there.',
  find: ({ plugin, manifest }) => {
    const granted = plugin.permissions.filter((permission) => permission.granted);
    const hosts = granted.filter(({ kind }) => kind === 'network');
    const held = new Set(plugin.secrets.map(({ name }) => name));
    const privates = granted.filter(
      ({ kind, scope }) =>
        (kind === 'env' && !held.has(scope)) || (kind === 'fs' && scope.startsWith('/')),
    );
    if (hosts.length === 0) return [];
    const open = hosts.some(({ kind, scope }) => isWide(kind, scope));
    return privates.map(({ kind, scope }) => ({
      level: open ? ('error' as const) : ('warning' as const),
      subject: `${kind} ${scope}`,
      message: `${plugin.id} can read ${kind} ${scope}, and can send it to ${hosts.map((host) => host.scope).join(', ')}.`,
      fix:
        kind === 'env'
          ? `Bind ${scope} to its host (the option secrets, --secret ${scope}=<host>): the plugin then never sees the value.`
          : `Remove one of the two permissions in ${manifest}, or grant only the files that the plugin needs.`,
      place: { file: manifest },
    }));
  },
};

export const updateWidens: Rule = {
  name: 'BH-UPDATE-WIDENS',
  about: 'An update added permissions that were not accepted when the plugin was installed.',
  find: ({ plugin, manifest, wider }) =>
    wider.map((text) => {
      const { id, version, pin } = plugin;
      const isAccepted = pin?.current === true && plugin.state !== 'gone';
      const accepted = isAccepted ? acceptanceOf(pin) : undefined;
      const named = [id, ...(version === null ? [] : [version])].join(' ');
      return {
        level: accepted === undefined ? ('warning' as const) : ('note' as const),
        subject: text,
        message: `${named} requests ${text}, which it did not request before.${accepted ?? ''}`,
        fix:
          accepted === undefined
            ? `Review the change (bulkhead diff ${shellWord(id)}), then accept it or roll it back.`
            : `If it should not have been accepted: bulkhead rollback ${shellWord(id)}.`,
        place: { file: manifest },
      };
    }),
};

/** Who accepted the code that is installed. */
function acceptanceOf({ by, at }: PinReport): string {
  return ` It was accepted${by === null ? '' : ` by ${by}`}${at === null ? '' : ` on ${at.slice(0, 10)}`}.`;
}

/** Every rule, the most serious first. */
export const rules: readonly Rule[] = [
  hostMode,
  deniedAttempt,
  exfilPair,
  updateWidens,
  wide,
  unused,
  unpinned,
  riskUnderstated,
];

export function isRuleName(text: string): text is RuleName {
  return rules.some(({ name }) => name === text);
}
