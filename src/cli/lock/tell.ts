import type { Changes, Examined, Permissions } from '../../index.js';
import { explainPermissions } from '../../index.js';
import type { Paint } from '../paint.js';
import { visible } from '../visible.js';

/** A plugin as somebody who has to decide on it sees it. What its author says is quoted as such. */
export function tellExamined(examined: Examined, granted: Permissions, paint: Paint): string {
  const { plugin, tools, hosts, unconfined, undeclared, problems } = examined;
  const version = plugin.version === undefined ? '' : ` ${plugin.version}`;
  const lines = [
    `${paint('bold', visible(plugin.id))}${visible(version)}  ${plugin.format}, ${visible(plugin.directory)}`,
    '  it would be allowed to',
    ...(unconfined
      ? [`    - ${paint('red', 'run unconfined, with everything that this user may do')}`]
      : explainPermissions(granted).map((sentence) => `    - ${visible(sentence)}`)),
    ...(undeclared
      ? ['  its format has no place for permissions: allow what it needs with --allow KIND:SCOPE']
      : []),
    ...(hosts.length === 0 ? [] : [`  its code names     ${hosts.map(visible).join(', ')}`]),
    ...Object.entries(tools).map(
      ([tool, { risk, asks }]) =>
        `  tool               ${visible(tool)} (its author says ${risk} risk${asks === true ? ', asks before it runs' : ''})`,
    ),
    ...problems.map((problem) => `  problem            ${visible(problem)}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** What changed, most important first. */
export function tellChanges(id: string, changes: Changes, paint: Paint): string {
  const { version, code, permissions, hosts, tools, unconfined, manifest } = changes;
  const more = (text: string): string => paint('red', `  + ${visible(text)}`);
  const less = (text: string): string => paint('green', `  - ${visible(text)}`);
  const other = (text: string): string => `  ~ ${visible(text)}`;
  const moved = version && `version ${version.from ?? 'none'} → ${version.to ?? 'none'}`;
  const lines = [
    paint('bold', visible(id)),
    ...(moved === undefined ? [] : [other(moved)]),
    ...(unconfined ? [more('asks to run without a compartment')] : []),
    ...permissions.wider.map(({ sentence }) => more(sentence)),
    ...permissions.narrower.map(({ sentence }) => less(sentence)),
    ...hosts.added.map((host) => more(`its code names the host ${host}`)),
    ...hosts.removed.map((host) => less(`its code names the host ${host} no longer`)),
    ...tools.added.map((tool) => more(`tool ${tool}`)),
    ...tools.removed.map((tool) => less(`tool ${tool}`)),
    ...tools.changed.map(({ tool, what, milder }) => {
      const text = `tool ${tool}: another ${what.join(', ')}`;
      return milder ? more(`${text}; it calls itself less risky, or asks no longer`) : other(text);
    }),
    ...(code.length === 0 ? [] : [other(`code of ${code.join(', ')}`)]),
    ...(manifest ? [other('something else in its manifest, or in how it is built')] : []),
  ];
  return `${lines.join('\n')}\n`;
}
