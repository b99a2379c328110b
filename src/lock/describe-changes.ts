import type { Changes, TextChange } from './changes.js';
import { allowPackageFlag, describeWant, type PackageChange } from './locked-packages.js';

/** One difference between the accepted version and the current one. */
export interface DescribedChange {
  /** `more`: the plugin gets or asks for more. `less`: for less. */
  readonly kind: 'more' | 'less' | 'other';
  /** A sentence. It may have words of the plugin's author: escape it before display. */
  readonly text: string;
  /** The texts of a tool that changed. */
  readonly details: readonly TextChange[];
}

/** What changed, most important first. */
export function describeChanges(changes: Changes): readonly DescribedChange[] {
  const { version, code, permissions, hosts, tools, unconfined, signer, manifest } = changes;
  const moved = version && `version ${version.from ?? 'none'} → ${version.to ?? 'none'}`;
  return [
    ...(moved === undefined ? [] : [other(moved)]),
    ...(unconfined ? [more('requests to run without a sandbox')] : []),
    ...permissions.wider.map(({ sentence }) => more(sentence)),
    ...permissions.narrower.map(({ sentence }) => less(sentence)),
    ...hosts.added.map((host) => more(`its code names the host ${host}`)),
    ...hosts.removed.map((host) => less(`its code no longer names the host ${host}`)),
    ...tools.added.map((tool) => more(`tool ${tool}`)),
    ...tools.removed.map((tool) => less(`tool ${tool}`)),
    ...(signer === undefined ? [] : [more(signerText(signer))]),
    ...tools.changed.map(({ tool, what, lessStrict, texts = [] }) => {
      const text = `tool ${tool}: changed ${what.join(', ')}`;
      const change = lessStrict
        ? more(`${text}; it declares less risk, or no longer requires approval`)
        : other(text);
      return { ...change, details: texts };
    }),
    ...(changes.packagesTogether ? [more('its packages get all that the plugin may do')] : []),
    ...changes.packages.flatMap(describePackage),
    ...(code.length === 0 ? [] : [other(`code of ${code.join(', ')}`)]),
    ...(changes.files ? [other('the files in its directory, which it may read')] : []),
    ...(manifest ? [other('another part of its manifest or of its build')] : []),
  ];
}

/** A changed package. What it uses now stays withheld until the operator grants it. */
function describePackage({
  package: path,
  change,
  wants,
  imports,
  together,
  unread,
}: PackageChange): readonly DescribedChange[] {
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

const more = (text: string): DescribedChange => ({ kind: 'more', text, details: [] });
const less = (text: string): DescribedChange => ({ kind: 'less', text, details: [] });
const other = (text: string): DescribedChange => ({ kind: 'other', text, details: [] });
