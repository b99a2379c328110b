import { type Anchor, type AuditVerdict, formatAnchor, parseAnchors } from '../../index.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { usageError } from '../failure.js';
import { makePaint } from '../paint.js';
import type { CliPowers } from '../powers.js';
import { jsonLine, visible } from '../visible.js';
import type { AuditSettings } from './settings.js';

/** Checks the whole log, and says where it first breaks. */
export async function runVerify(settings: AuditSettings, powers: CliPowers): Promise<ExitCode> {
  const { stdout } = powers;
  const anchors = await anchorsOf(settings.anchor, powers);
  const verdict = await powers.readAudit(settings.file).verify(anchors);
  const text = tellVerdict(verdict, anchors, makePaint(stdout.colour));
  await stdout.write(settings.json === true ? jsonLine(verdict) : text);
  return verdict.ok ? EXIT.ok : EXIT.findings;
}

/** Prints where a sound log ends: the one line that shows later that nothing before it is gone. */
export async function runAnchor(settings: AuditSettings, powers: CliPowers): Promise<ExitCode> {
  const { stdout, stderr } = powers;
  const verdict = await powers.readAudit(settings.file).verify();
  if (!verdict.ok) {
    await stderr.write(tellVerdict(verdict, [], makePaint(stderr.colour)));
    return EXIT.findings;
  }
  const anchor = formatAnchor(verdict.head);
  await stdout.write(
    settings.json === true ? jsonLine({ ...verdict.head, anchor }) : `${anchor}\n`,
  );
  return EXIT.ok;
}

async function anchorsOf(text: string | undefined, powers: CliPowers): Promise<readonly Anchor[]> {
  if (text === undefined) return [];
  if (!text.startsWith('@')) return parseAnchors(text);
  const path = text.slice(1);
  const content = await powers.readFile(path).catch(() => {
    throw usageError('--anchor', `--anchor cannot read ${path}`);
  });
  return parseAnchors(content);
}

function tellVerdict(
  verdict: AuditVerdict,
  anchors: readonly Anchor[],
  paint: ReturnType<typeof makePaint>,
): string {
  if (!verdict.ok) {
    const { kind, file, line, message, records } = verdict;
    return [
      `${paint('red', 'BROKEN')}  ${visible(file)}:${line}  ${kind}`,
      `  ${message}`,
      `  ${records} records before it are sound\n`,
    ].join('\n');
  }
  const { records, head, notes } = verdict;
  const held = anchors.length === 0 ? '' : `, ${anchors.length} anchored`;
  return [
    `${paint('green', 'sound')}  ${records} records${held}, the last is ${head.seq} ${head.hash.slice(0, 16)}`,
    ...notes.map((note) => `  ${visible(note)}`),
    ...(anchors.length > 0
      ? []
      : [
          '  records cut off at the end, and a log written anew, show only against an anchor:',
          '  keep what `bulkhead audit anchor` prints where this machine cannot write',
        ]),
    '',
  ].join('\n');
}
