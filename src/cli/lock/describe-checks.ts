import type { PluginCheck } from '../../check/check-plugin.js';
import type { CheckFinding, CheckLevel } from '../../check/finding.js';
import { scorecardOf } from '../../check/scorecard.js';
import { visible } from '../../visible.js';
import type { CliCapabilities } from '../capabilities.js';
import { makePaint, type Paint } from '../output.js';
import { excerptOf } from '../report-failure.js';

const COLOURS = { error: 'red', warning: 'yellow', note: 'dim' } as const;

/**
 * ```
 * weather: 1 error · 2 tools, about 210 tokens in every turn
 *   manifest ok · code ok · permissions error · tools ok · publication ok
 *   error    permission-missing  src/index.ts:14:9
 *    > 14 |   const answer = await fetch('https://api.example.com');
 *         |                        ^
 *     fetch needs the permission network https://api.example.com, …
 *     Add "network": ["https://api.example.com"] to pandora.manifest.json, …
 * ```
 */
export async function describeChecks(
  checks: readonly PluginCheck[],
  { stdout, readFile }: Pick<CliCapabilities, 'stdout' | 'readFile'>,
): Promise<string> {
  const paint = makePaint(stdout.colour);
  const parts: string[] = [];
  for (const check of checks) {
    parts.push(...summaryOf(check, paint));
    const scores = scorecardOf(check).map(
      ({ part, result }) =>
        `${part} ${result === 'ok' ? paint('green', 'ok') : result === 'not-checked' ? 'not checked' : paint(COLOURS[result], result)}`,
    );
    if (scores.length > 0) parts.push(`  ${scores.join(' · ')}`);
    for (const finding of check.findings) {
      parts.push(...(await describeFinding(finding, check, paint, readFile)));
    }
  }
  if (checks.every(({ findings }) => findings.length === 0)) parts.push('no problem found');
  return `${parts.join('\n')}\n`;
}

function summaryOf({ plugin, directory, findings, tools }: PluginCheck, paint: Paint): string[] {
  const counts = (['error', 'warning', 'note'] satisfies CheckLevel[]).flatMap((level) => {
    const count = findings.filter((finding) => finding.level === level).length;
    return count === 0 ? [] : [numbered(count, level)];
  });
  const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0);
  const cost = `${numbered(tools.length, 'tool')}, about ${tokens} tokens in every turn`;
  const facts = [...counts, ...(tools.length === 0 ? [] : [cost])];
  const title = paint('bold', visible(plugin ?? directory));
  return [facts.length === 0 ? title : `${title}: ${facts.join(' · ')}`];
}

function numbered(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** The lines about one finding, with its place. */
export async function describeFinding(
  { rule, level, message, fix, file, line, column = 1 }: CheckFinding,
  { directory }: PluginCheck,
  paint: Paint,
  readFile: CliCapabilities['readFile'],
): Promise<string[]> {
  const place =
    file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}:${column}`}`;
  const head = `  ${paint(COLOURS[level], level.padEnd(7))}  ${rule}${place === '' ? '' : `  ${visible(place)}`}`;
  const excerpt =
    file === undefined || line === undefined || level === 'note'
      ? []
      : await excerptOf({ file, line, column, remedy: undefined }, directory, readFile);
  return [
    head,
    ...excerpt.map((text) => `  ${text}`),
    `    ${visible(message)}`,
    ...(fix === undefined ? [] : [`    ${visible(fix)}`]),
  ];
}
