import type { Inspection } from '../../engine/inspect-plugin.js';
import type { AcceptedPackages } from '../../engine/accepted-packages.js';
import type { PublicKey } from '../../keys/signing-key.js';
import type { Changes, TextChange } from '../../lock/changes.js';
import { describeChanges } from '../../lock/describe-changes.js';
import { type FileDiff, unifiedDiff } from '../../lock/source-diff.js';
import type { Permissions } from '../../permissions/kind.js';
import { explainPermissions } from '../../permissions/permissions.js';
import { visible, visibleCode, visibleText } from '../../visible.js';
import type { Paint } from '../output.js';
import { formatPackages } from './packages.js';

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
  const colours = { more: 'red', less: 'green' } as const;
  const lines = describeChanges(changes).flatMap(({ kind, text, details }) => [
    kind === 'other'
      ? `  ~ ${visible(text)}`
      : paint(colours[kind], `  ${kind === 'more' ? '+' : '-'} ${visible(text)}`),
    ...details.flatMap((change) => formatTextChange(change, paint)),
  ]);
  return `${[paint('bold', visible(id)), ...lines].join('\n')}\n`;
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
