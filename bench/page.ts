import type { Results } from './full.js';
import { MEASURE_HEADS, measureCells, PEER_HEADS, peerCells } from './table.js';

/** All figures of a run, for people who read them without running it. */
export function writePage({ machine, at, measures, comparisons, missing }: Results): string {
  const judged = measures.filter(({ met }) => met !== undefined);
  const met = judged.filter((measure) => measure.met === true);
  return `# Figures

Written by \`npm run bench\`: one run, on ${at.slice(0, 10)}, Node ${process.versions.node}, ${machine}. Medians. The floor is a process that echoes the same lines of JSON over a bare pipe, without a sandbox, a schema or a record; where the work is another one, it is the same work by plain Node. An absolute time is the machine's; the ratio is ours. [speed.md](speed.md) says what makes it so, and what it costs.

${met.length} of ${judged.length} goals met.

${table([MEASURE_HEADS, ...measures.map(measureCells)])}

## The same work in other hands

(×) against the floor on the same Node.

${table([PEER_HEADS, ...peerCells(comparisons)])}

## Not measured

${missing.map((line) => `- ${line}`).join('\n')}
`;
}

/** A table of Markdown, its columns aligned. */
function table(rows: readonly (readonly string[])[]): string {
  const [heads = [], ...lines] = rows.map((cells) =>
    cells.map((cell) => cell.replaceAll('|', '\\|')),
  );
  const widths = heads.map((head, at) =>
    Math.max(3, ...[head, ...lines.map((cells) => cells[at] ?? '')].map((text) => text.length)),
  );
  const write = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const rule = widths.map((width) => '-'.repeat(width));
  return [heads, rule, ...lines].map(write).join('\n');
}
