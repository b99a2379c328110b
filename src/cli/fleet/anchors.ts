import { type Anchor, parseAnchors } from '../../audit/verify.js';
import { visible } from '../../visible.js';
import type { CliCapabilities } from '../capabilities.js';
import { usageError } from '../failure.js';

/** The anchors of `RUNNER=TEXT`, `RUNNER=@FILE` and `@FILE`, by runner. */
export async function anchorsOf(
  given: readonly string[],
  { readFile }: CliCapabilities,
): Promise<ReadonlyMap<string, readonly Anchor[]>> {
  const read = (path: string): Promise<string> =>
    readFile(path).catch(() => {
      throw usageError('--anchor', `--anchor cannot read ${visible(path)}`);
    });
  const anchors = new Map<string, readonly Anchor[]>();
  const add = (runner: string, text: string): void => {
    anchors.set(runner, [...(anchors.get(runner) ?? []), ...parseAnchors(text)]);
  };
  for (const one of given) {
    const [, name = '', text = ''] = /^([a-z0-9-]*)=(.*)$/s.exec(one) ?? [];
    if (name !== '') {
      add(name, text.startsWith('@') ? await read(text.slice(1)) : text);
      continue;
    }
    const lines = one.startsWith('@') ? linesOf(await read(one.slice(1))) : [];
    if (lines.length === 0) {
      throw usageError(
        '--anchor',
        `--anchor takes RUNNER=bulkhead-audit:NUMBER:HASH, RUNNER=@FILE, or @FILE with the output of \`bulkhead fleet anchor\`, not ${visible(one)}`,
      );
    }
    for (const { runner, anchor } of lines) add(runner, anchor);
  }
  return anchors;
}

/** The lines that `fleet anchor` printed. */
function linesOf(text: string): readonly { readonly runner: string; readonly anchor: string }[] {
  return [...text.matchAll(/^(?<runner>[a-z0-9-]+)=(?<anchor>bulkhead-audit:\S+)$/gm)].map(
    ({ groups }) => ({ runner: groups?.['runner'] ?? '', anchor: groups?.['anchor'] ?? '' }),
  );
}
