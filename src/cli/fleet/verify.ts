import { type AuditVerdict, formatAnchor } from '../../audit/verify.js';
import { didYouMean } from '../../did-you-mean.js';
import type { RunnerAudit } from '../../fleet/audit-watch.js';
import type { FleetOperator } from '../../fleet/operator.js';
import { visible } from '../../visible.js';
import type { CliCapabilities } from '../capabilities.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { makePaint, type Paint, print } from '../output.js';
import { anchorsOf } from './anchors.js';
import type { FleetSettings } from './settings.js';

/** `bulkhead fleet verify`. */
export async function verify(
  operator: FleetOperator,
  settings: FleetSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const anchors = await anchorsOf(settings.anchor ?? [], capabilities);
  const logs = await operator.verifyAudit({ keys: settings.key, anchors });
  const ok = logs.every(({ verdict }) => verdict.ok);
  const isUnanchored = logs.some(({ verdict }) => verdict.ok && verdict.anchored === 0);
  const text = [
    ...(logs.length === 0 ? ['no runner has written a record yet\n'] : []),
    formatLogs(logs, makePaint(capabilities.stdout.colour)),
    ...misspeltIn(logs),
    ...(ok && isUnanchored ? UNANCHORED : []),
  ].join('');
  await print(settings, capabilities, { ok, logs }, text);
  return ok ? EXIT.ok : EXIT.findings;
}

/** A log with anchors and without any record may have another name. */
function misspeltIn(logs: readonly RunnerAudit[]): readonly string[] {
  const isAbsent = ({ verdict }: RunnerAudit): boolean =>
    !verdict.ok && verdict.kind === 'truncated' && verdict.records === 0;
  const present = logs.filter((log) => !isAbsent(log)).map(({ runner }) => runner);
  return logs.filter(isAbsent).map(({ runner }) => {
    const meant = didYouMean(runner, present);
    const hint = meant === undefined ? '' : `; did you mean ${visible(meant)}?`;
    return `there is no log of ${visible(runner)}: it was removed, or --anchor names no runner of this cell${hint}\n`;
  });
}

const UNANCHORED = [
  'only an anchor detects records cut off at the end, or a log that was removed: store the output of\n',
  '`bulkhead fleet anchor` where NATS and the runners cannot write, and verify with --anchor @FILE\n',
];

/** Prints a line for each runner. It later proves that no earlier record of its log is missing. */
export async function printAnchors(
  operator: FleetOperator,
  settings: FleetSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const { stderr } = capabilities;
  const logs = await operator.verifyAudit({});
  if (logs.some(({ verdict }) => !verdict.ok)) {
    await stderr.write(formatLogs(logs, makePaint(stderr.colour)));
    return EXIT.findings;
  }
  const anchors = logs.flatMap(({ runner, verdict }) =>
    verdict.ok ? [{ runner, ...verdict.head, anchor: formatAnchor(verdict.head) }] : [],
  );
  if (anchors.length === 0) await stderr.write('no runner has written a record yet\n');
  const text = anchors.map(({ runner, anchor }) => `${visible(runner)}=${anchor}\n`).join('');
  await print(settings, capabilities, { ok: true, anchors }, text);
  return EXIT.ok;
}

function formatLogs(logs: readonly RunnerAudit[], paint: Paint): string {
  return logs
    .flatMap(({ runner, verdict }) => [
      `${paint(verdict.ok ? 'green' : 'red', verdict.ok ? 'intact' : 'BROKEN')}  ${visible(runner)}: ${visible(explain(verdict))}\n`,
      ...(verdict.ok ? verdict.notes.map((note) => `  ${visible(note)}\n`) : []),
    ])
    .join('');
}

function explain(verdict: AuditVerdict): string {
  if (!verdict.ok) return `${verdict.message}; the ${verdict.records} records before it are intact`;
  const { records, head, anchored, attested } = verdict;
  const proven = anchored === 0 ? '' : `, ${anchored} anchored`;
  const signed = attested === undefined ? '' : `, ${attested} signed`;
  return `${records} records${proven}${signed}, the last is ${head.seq} ${head.hash.slice(0, 16)}`;
}
