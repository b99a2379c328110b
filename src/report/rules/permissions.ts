import type { Rule } from './rule.js';

const DAY_MS = 86_400_000;

export const unused: Rule = {
  name: 'BH-PERM-UNUSED',
  about: 'A granted permission that nothing uses is there for whoever breaks into the plugin.',
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
        message: `${plugin.id} has ${kind} ${scope}, and has not used it for ${Math.floor(unusedAfterMs / DAY_MS)} days or more.`,
        fix: declared
          ? `Remove ${JSON.stringify(scope)} from ${kind} in ${manifest}, or grant less.`
          : `Grant less: its manifest does not even ask for ${JSON.stringify(scope)}.`,
        place: { file: manifest },
      })),
};

export const wide: Rule = {
  name: 'BH-PERM-WIDE',
  about:
    'A permission for a whole domain, or for every file, covers more than anybody has looked at.',
  find: ({ plugin, manifest }) =>
    plugin.permissions
      .filter(({ kind, scope, granted }) => granted && isWide(kind, scope))
      .map(({ kind, scope, sentence }) => ({
        level: 'warning' as const,
        subject: `${kind} ${scope}`,
        message: `${plugin.id} has ${kind} ${scope}: ${sentence}`,
        fix: `Name ${kind === 'network' ? 'the hosts' : 'the directories'} that it needs in ${manifest}, and grant these.`,
        place: { file: manifest },
      })),
};

function isWide(kind: string, scope: string): boolean {
  if (kind === 'network') return /(?:^|\/\/|\s)\*/.test(scope);
  return kind === 'filesystem' && (scope === '/' || /^\/[^/]+$/.test(scope));
}

export const exfilPair: Rule = {
  name: 'BH-EXFIL-PAIR',
  about:
    'A plugin that can read what is private and reach a server can carry the one to the other.',
  find: ({ plugin, manifest }) => {
    const granted = plugin.permissions.filter((permission) => permission.granted);
    const hosts = granted.filter(({ kind }) => kind === 'network');
    const held = new Set(plugin.secrets.map(({ name }) => name));
    const privates = granted.filter(
      ({ kind, scope }) =>
        (kind === 'environment' && !held.has(scope)) ||
        (kind === 'filesystem' && scope.startsWith('/')),
    );
    if (hosts.length === 0) return [];
    const open = hosts.some(({ kind, scope }) => isWide(kind, scope));
    return privates.map(({ kind, scope }) => ({
      level: open ? ('error' as const) : ('warning' as const),
      subject: `${kind} ${scope}`,
      message: `${plugin.id} can read ${kind} ${scope}, and can send it to ${hosts.map((host) => host.scope).join(', ')}.`,
      fix:
        kind === 'environment'
          ? `Bind ${scope} to its host (the option secrets, --secret ${scope}=<host>): the plugin then never sees its value.`
          : `Take one of the two from it in ${manifest}, or grant only the files that it needs.`,
      place: { file: manifest },
    }));
  },
};

export const updateWidens: Rule = {
  name: 'BH-UPDATE-WIDENS',
  about:
    'What an update adds to a plugin’s permissions is what nobody agreed to when it was installed.',
  find: ({ plugin, manifest, wider }) =>
    wider.map((text) => ({
      level: 'warning' as const,
      subject: text,
      message:
        `${plugin.id} ${plugin.version ?? ''} asks for ${text}, which it did not before.`.replace(
          '  ',
          ' ',
        ),
      fix: `Look at what it does with it (bulkhead diff ${plugin.id}), and accept it or go back.`,
      place: { file: manifest },
    })),
};
