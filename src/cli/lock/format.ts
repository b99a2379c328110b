import type { Inspection } from '../../engine/inspect-plugin.js';
import type { AcceptedPackages } from '../../engine/accepted-packages.js';
import type { PublicKey } from '../../keys/signing-key.js';
import type { Changes, TextChange } from '../../lock/changes.js';
import { type FileDiff, unifiedDiff } from '../../lock/source-diff.js';
import type { Permissions } from '../../permissions/kind.js';
import { explainPermissions } from '../../permissions/permissions.js';
import { visible, visibleCode, visibleText } from '../../visible.js';
import { describeWant, type PackageChange } from '../../lock/locked-packages.js';
import type { Paint } from '../output.js';
import { allowPackageFlag, formatPackages } from './packages.js';

/** A plugin, as shown before it is accepted. Text of its author is labelled and escaped. */
export function formatInspection(
  inspected: Inspection,
  granted: Permissions,
  signer: PublicKey | undefined,
  packages: AcceptedPackages | undefined,
  paint: Paint,
): string {
  const { plugin, tools, hosts, unconfined, undeclared, hostTools, problems } = inspected;
  const version = plugin.version === undefined ? '' : ` ${plugin.version}`;
  const lines = [
    `${paint('bold', visible(plugin.id))}${visible(version)}  ${plugin.format}, ${visible(plugin.directory)}`,
    `  artifact           ${inspected.artifact.hash}`,
    `  signature          ${signatureText(inspected, signer)}`,
    '  it would be allowed to',
    ...(unconfined
      ? [`    - ${paint('red', 'run without a sandbox, with all rights of your user')}`]
      : explainPermissions(granted).map((sentence) => `    - ${visible(sentence)}`)),
    ...(inspected.packages === undefined || packages === undefined
      ? []
      : [
          '  its npm packages run in compartments of their own, with these parts of that',
          ...formatPackages(inspected.packages, packages).map((one) => `    - ${visible(one)}`),
        ]),
    ...(undeclared === true
      ? ['  its format cannot declare permissions; grant what it needs with --allow KIND:SCOPE']
      : []),
    ...hostTools.map(
      (tool) =>
        `  ${paint('red', 'unconfined')}         tool ${visible(tool)} requires Node without a sandbox; it runs only with --allow-host`,
    ),
    ...(hosts.length === 0 ? [] : [`  its code names     ${hosts.map(visible).join(', ')}`]),
    ...Object.entries(tools).flatMap(([tool, { risk, requiresApproval, texts }]) => [
      `  tool               ${visible(tool)} (its author declares ${risk} risk${requiresApproval === true ? ', requires approval' : ''})`,
      ...quoted('the plugin says', `${texts.title}\n${texts.description}`),
      ...quoted('hints', texts.hints),
    ]),
    ...problems.map((problem) => `  problem            ${visible(problem)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function signatureText(inspected: Inspection, signer: PublicKey | undefined): string {
  if (signer !== undefined) return `verified, ${signer.id}`;
  return inspected.envelope === undefined
    ? 'none'
    : 'not verified; verify it with --require-signature KEY.pub';
}

/** A text of the plugin's author, escaped, each line marked as quoted. */
function quoted(label: string, text: string): readonly string[] {
  const [first = '', ...rest] = visibleText(text.trim()).split('\n');
  return [
    `    ${label.padEnd(15)}  | ${first}`,
    ...rest.map((line) => `    ${''.padEnd(15)}  | ${line}`),
  ];
}

/** Differences of the sources, escaped. */
export function formatDiffs(diffs: readonly FileDiff[], paint: Paint): string {
  const unknown = diffs.filter(({ change }) => change === 'unknown').length;
  if (unknown > 0) {
    return '  the accepted sources are not stored on this machine, so there is no diff of the code\n';
  }
  return diffs
    .flatMap(({ diff }) => visibleCode(diff.trimEnd()).split('\n'))
    .map((line) => {
      if (line.startsWith('+')) return paint('green', line);
      return line.startsWith('-') ? paint('red', line) : line;
    })
    .map((line) => `${line}\n`)
    .join('');
}

/** What changed, most important first. */
export function formatChanges(id: string, changes: Changes, paint: Paint): string {
  const { version, code, permissions, hosts, tools, unconfined, signer, manifest } = changes;
  const more = (text: string): string => paint('red', `  + ${visible(text)}`);
  const less = (text: string): string => paint('green', `  - ${visible(text)}`);
  const other = (text: string): string => `  ~ ${visible(text)}`;
  const moved = version && `version ${version.from ?? 'none'} → ${version.to ?? 'none'}`;
  const lines = [
    paint('bold', visible(id)),
    ...(moved === undefined ? [] : [other(moved)]),
    ...(unconfined ? [more('requests to run without a sandbox')] : []),
    ...permissions.wider.map(({ sentence }) => more(sentence)),
    ...permissions.narrower.map(({ sentence }) => less(sentence)),
    ...hosts.added.map((host) => more(`its code names the host ${host}`)),
    ...hosts.removed.map((host) => less(`its code no longer names the host ${host}`)),
    ...tools.added.map((tool) => more(`tool ${tool}`)),
    ...tools.removed.map((tool) => less(`tool ${tool}`)),
    ...(signer === undefined ? [] : [more(signerText(signer))]),
    ...tools.changed.flatMap(({ tool, what, lessStrict, texts = [] }) => {
      const text = `tool ${tool}: changed ${what.join(', ')}`;
      return [
        lessStrict
          ? more(`${text}; it declares less risk, or no longer requires approval`)
          : other(text),
        ...texts.flatMap((change) => formatTextChange(change, paint)),
      ];
    }),
    ...(changes.packagesTogether ? [more('its packages get all that the plugin may do')] : []),
    ...changes.packages.flatMap((one) => formatPackageChange(one, { more, less, other })),
    ...(code.length === 0 ? [] : [other(`code of ${code.join(', ')}`)]),
    ...(manifest ? [other('another part of its manifest or of its build')] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** A changed package. What it uses now stays withheld until the operator grants it. */
function formatPackageChange(
  { package: path, change, wants, imports, together, unread }: PackageChange,
  { more, less, other }: Readonly<Record<'more' | 'less' | 'other', (text: string) => string>>,
): readonly string[] {
  if (change === 'removed') return [less(`package ${path}`)];
  const isQuiet = Object.keys(wants).length + imports.length === 0 && !together && !unread;
  return [
    ...(change === 'added' ? [other(`new package ${path}`)] : []),
    ...(change === 'changed' && isQuiet ? [other(`code of package ${path}`)] : []),
    ...Object.entries(wants).map(([want, at]) =>
      more(
        `package ${path} ${describeWant(want)} (${at}); it does not get it, and would with ${allowPackageFlag(path, want)}`,
      ),
    ),
    ...imports.map((one) => more(`package ${path} imports ${one}`)),
    ...(together ? [more(`package ${path}, which has all that the plugin may do, changed`)] : []),
    ...(unread ? [more(`package ${path} has permissions, and its new code was not read`)] : []),
  ];
}

function signerText({ from, to }: NonNullable<Changes['signer']>): string {
  if (to === undefined) return `it is not signed any more; before it was signed by ${from}`;
  return from === undefined ? `signed by ${to}` : `signed by ${to} instead of ${from}`;
}

/** The old and the new text of a tool's author, escaped. */
function formatTextChange({ part, before, after }: TextChange, paint: Paint): readonly string[] {
  if (before === undefined) {
    return [
      `      ${part}: the accepted text is not stored on this machine; now`,
      ...prefixed('+', after, paint),
    ];
  }
  const isLong = before.includes('\n') && after.includes('\n') && part === 'schema';
  if (isLong) {
    const diff = unifiedDiff(before, after, part).split('\n').slice(2, -1);
    return [`      ${part}:`, ...diff.map((line) => `      ${visible(line)}`)];
  }
  return [`      ${part}:`, ...prefixed('-', before, paint), ...prefixed('+', after, paint)];
}

function prefixed(sign: '-' | '+', text: string, paint: Paint): readonly string[] {
  return visibleText(text)
    .split('\n')
    .map((line) => paint(sign === '+' ? 'green' : 'red', `      ${sign} ${line}`));
}
