import type { Command } from 'commander';
import { BulkheadError } from '../index.js';
import type { RunCommand } from './call.js';
import { effectLines, readEffect } from './effect-text.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { usageError } from './failure.js';
import { whoIs } from './lock/options.js';
import type { CliPowers } from './powers.js';
import { jsonLine, visible } from './visible.js';

interface ApprovalsSettings {
  readonly url?: string;
  readonly token?: string;
  readonly reason?: string;
  readonly watch?: boolean;
  readonly json?: boolean;
}

const DEFAULT_URL = 'http://127.0.0.1:4173';

/** Characters of an id that name a question: `apr_` and the first eight of what is random. */
const MIN_ID = 12;

/** How often a server is asked what waits. */
const WATCH_MS = 1_000;

export function addApprovals(program: Command, run: RunCommand): void {
  program
    .command('approvals')
    .description(
      'show the questions that wait at a running `bulkhead serve --approvals`, and answer one',
    )
    .argument('[id]', 'the question, as it is listed; its first twelve characters are enough')
    .argument('[verdict]', 'deny, once, session or always')
    .option('--url <URL>', `the server (default: ${DEFAULT_URL})`)
    .option('--token <TEXT>', "the operator's token (default: BULKHEAD_TOKEN)")
    .option('--reason <TEXT>', 'why not, told to whoever called')
    .option('--watch', 'go on showing what comes up, until interrupted')
    .option('--json', 'print lines of JSON')
    .action((id: string | undefined, verdict: string | undefined, settings: ApprovalsSettings) =>
      run((powers) => runApprovals(id, verdict, settings, powers), {
        endsWhenInterrupted: settings.watch === true,
      }),
    );
}

/** A question, as the server tells it. All of it may be words of a plugin's: show it escaped. */
interface Waiting {
  readonly approvalId: string;
  readonly digest: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

async function runApprovals(
  id: string | undefined,
  verdict: string | undefined,
  settings: ApprovalsSettings,
  powers: CliPowers,
): Promise<ExitCode> {
  if (id !== undefined) {
    if (verdict === undefined)
      throw usageError('verdict', 'say what: deny, once, session or always');
    return answer(id, verdict, settings, powers);
  }
  const seen = new Set<string>();
  const showNew = async (): Promise<void> => {
    for (const waiting of await listWaiting(settings, powers)) {
      if (seen.has(waiting.approvalId)) continue;
      seen.add(waiting.approvalId);
      await powers.stdout.write(settings.json === true ? jsonLine(waiting.fields) : tell(waiting));
    }
  };
  await showNew();
  if (settings.watch !== true) {
    if (seen.size === 0 && settings.json !== true) await powers.stdout.write('nothing waits\n');
    return EXIT.ok;
  }
  while (!powers.interrupted.aborted) {
    await pause(WATCH_MS, powers.interrupted);
    if (!powers.interrupted.aborted) await showNew();
  }
  return EXIT.ok;
}

async function answer(
  id: string,
  verdict: string,
  settings: ApprovalsSettings,
  powers: CliPowers,
): Promise<ExitCode> {
  const all = await listWaiting(settings, powers);
  // A shorter beginning may be that of a question which came up since the list was shown.
  const meant = id.length < MIN_ID ? [] : all.filter(({ approvalId }) => approvalId.startsWith(id));
  const [waiting] = meant;
  if (waiting === undefined || meant.length > 1) {
    throw usageError(
      'id',
      `${meant.length === 0 ? 'no question waits' : 'several questions wait'} under ${id}${id.length < MIN_ID ? `: write ${MIN_ID} characters of its id at least` : ''}`,
    );
  }
  const { approvalId, digest } = waiting;
  const reason = settings.reason === undefined ? {} : { reason: settings.reason };
  await ask(settings, powers, `/api/approvals/${encodeURIComponent(approvalId)}`, {
    verdict,
    digest,
    by: whoIs(powers),
    ...reason,
  });
  await powers.stdout.write(
    settings.json === true
      ? jsonLine({ ok: true, approvalId, verdict })
      : `${visible(approvalId)} ${visible(verdict)}\n`,
  );
  return EXIT.ok;
}

async function listWaiting(settings: ApprovalsSettings, powers: CliPowers): Promise<Waiting[]> {
  const data = await ask(settings, powers, '/api/approvals');
  const list: unknown = isRecord(data) ? data['approvals'] : undefined;
  return (Array.isArray(list) ? list : []).flatMap((fields: unknown) => {
    if (!isRecord(fields)) return [];
    const { approvalId, digest } = fields;
    return typeof approvalId === 'string' && typeof digest === 'string'
      ? [{ approvalId, digest, fields }]
      : [];
  });
}

/** What an answer of the server's holds. Throws what it refuses with. */
async function ask(
  { url = DEFAULT_URL, token: given }: ApprovalsSettings,
  { environment, http }: Pick<CliPowers, 'environment' | 'http'>,
  path: string,
  body?: object,
): Promise<unknown> {
  const token = given ?? environment['BULKHEAD_TOKEN'];
  if (token === undefined) {
    throw usageError('--token', "this needs the operator's token: --token TEXT, or BULKHEAD_TOKEN");
  }
  const { status, text } = await http(`${url.replace(/\/+$/, '')}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    token,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw usageError('--url', `there is no server at ${url}: ${why}`);
  });
  const data = parse(text, url);
  if (status < 400) return data;
  const said =
    isRecord(data) && typeof data['error'] === 'string' ? data['error'] : `status ${status}`;
  throw new BulkheadError('APPROVAL_DENIED', `The server refused: ${said}.`, { tool: path });
}

function parse(text: string, url: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usageError(
      '--url',
      `the server at ${url} is none of Bulkhead's: it answers with no JSON`,
    );
  }
}

function tell({ approvalId, fields }: Waiting): string {
  const text = (name: string): string => {
    const value = fields[name];
    return typeof value === 'string' ? visible(value) : '';
  };
  const { effect, expiresAtMs, offers, shown } = fields;
  const until = typeof expiresAtMs === 'number' ? new Date(expiresAtMs).toISOString() : '';
  return [
    `${visible(approvalId)}  [${text('risk').toUpperCase()}] ${text('id')} ${text('version')}`,
    `  asks because  ${text('why')}`,
    `  answers       ${Array.isArray(offers) ? offers.map((one) => visible(String(one))).join(', ') : ''}; until ${until}`,
    ...(typeof shown === 'string' ? shown.split('\n').map((line) => `    ${visible(line)}`) : []),
    ...(isRecord(effect) ? effectLines(readEffect(effect)) : []),
    '',
  ].join('\n');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
