import type { Command } from 'commander';
import { isRecord } from '../../sandbox/wire/json.js';
import type { Verdict } from '../approval/approver.js';
import { BulkheadError } from '../errors.js';
import { isolated, isolatedJson, visible } from '../visible.js';
import { effectLines, readEffect } from './approve.js';
import type { RunCommand } from './call.js';
import type { CliCapabilities } from './capabilities.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { reasonOf, usageError } from './failure.js';
import { operatorName } from './lock/options.js';
import { print } from './output.js';
import { pause } from '../waiting.js';

interface ApprovalsSettings {
  readonly url?: string;
  readonly token?: string;
  readonly storageDirectory?: string;
  readonly reason?: string;
  readonly watch?: boolean;
  readonly json?: boolean;
}

const DEFAULT_URL = 'http://127.0.0.1:4173';

/** Shortest unique start of an id: `apr_` and 8 random characters. */
const MIN_ID = 12;

/** Interval at which `--watch` polls the server. */
const WATCH_MS = 1_000;

export function addApprovals(program: Command, run: RunCommand): void {
  program
    .command('approvals')
    .description(
      'list the pending approvals of this machine or of a running `bulkhead serve --approvals`, or answer one',
    )
    .argument('[id]', 'id of the approval; its first 12 characters are enough')
    .argument('[verdict]', 'the answer: deny, once, session or always')
    .option(
      '--storage-directory <DIR>',
      "the storage directory of the engine (default: that of the user's data directory)",
    )
    .option(
      '--url <URL>',
      `URL of a server, which needs a token (default: ${DEFAULT_URL} with a token; else none)`,
    )
    .option('--token <TEXT>', 'token to answer approvals (default: BULKHEAD_ANSWER_TOKEN)')
    .option('--reason <TEXT>', 'reason for a denial, sent to the caller (default: none)')
    .option('--watch', 'keep printing new approvals until interrupted')
    .option('--json', 'print one line of JSON per approval')
    .action((id: string | undefined, verdict: string | undefined, settings: ApprovalsSettings) =>
      run((capabilities) => runApprovals(id, verdict, settings, capabilities), {
        endsWhenInterrupted: settings.watch === true,
      }),
    );
}

/** A pending approval. Every field may contain text of a plugin, so it is escaped when shown. */
interface PendingApproval {
  readonly approvalId: string;
  readonly digest: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Where approvals are listed and answered: a server, or a storage directory. */
interface ApprovalSource {
  list(): Promise<readonly PendingApproval[]>;
  answer(pending: PendingApproval, answer: OperatorAnswerText): Promise<void>;
}

interface OperatorAnswerText {
  readonly verdict: string;
  readonly reason?: string;
}

function openSource(settings: ApprovalsSettings, capabilities: CliCapabilities): ApprovalSource {
  const token = settings.token ?? (capabilities.environment['BULKHEAD_ANSWER_TOKEN'] || undefined);
  if (settings.storageDirectory !== undefined)
    return storedSource(settings.storageDirectory, capabilities);
  if (token !== undefined) return serverSource({ ...settings, token }, capabilities);
  if (settings.url === undefined) return storedSource(undefined, capabilities);
  throw usageError(
    '--token',
    'the token to answer approvals is missing; use --token TEXT or BULKHEAD_ANSWER_TOKEN',
  );
}

function storedSource(
  directory: string | undefined,
  capabilities: CliCapabilities,
): ApprovalSource {
  const approvals = capabilities.openApprovals(directory);
  return {
    list: async () => approvals.list().map(({ ...fields }) => ({ ...fields, fields })),
    answer: ({ approvalId, digest }, { verdict, reason }) =>
      approvals.answer(approvalId, {
        verdict: parseVerdict(verdict),
        digest,
        by: operatorName(capabilities),
        approver: 'person',
        channel: 'command-line',
        ...(reason === undefined ? {} : { reason }),
      }),
  };
}

/** A misspelt directory would look like one without questions. */
async function requireDirectory(
  path: string,
  { listDirectory }: Pick<CliCapabilities, 'listDirectory'>,
): Promise<void> {
  await listDirectory(path).catch((error: unknown) => {
    throw usageError(
      '--storage-directory',
      `the storage directory ${visible(path)} cannot be read: ${reasonOf(error)}`,
    );
  });
}

function parseVerdict(text: string): Verdict {
  const verdict = VERDICTS.find((one) => one === text);
  if (verdict !== undefined) return verdict;
  throw usageError('verdict', `the answer is one of ${VERDICTS.join(', ')}, not ${text}`);
}

const VERDICTS: readonly Verdict[] = ['deny', 'once', 'session', 'always'];

function serverSource(
  settings: ApprovalsSettings & { readonly token: string },
  capabilities: CliCapabilities,
): ApprovalSource {
  return {
    list: () => listPending(settings, capabilities),
    answer: async ({ approvalId, digest }, answered) => {
      await ask(settings, capabilities, `/api/approvals/${encodeURIComponent(approvalId)}`, {
        ...answered,
        digest,
        by: operatorName(capabilities),
        approver: 'person',
      });
    },
  };
}

async function runApprovals(
  id: string | undefined,
  verdict: string | undefined,
  settings: ApprovalsSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  if (verdict !== undefined) parseVerdict(verdict);
  if (settings.storageDirectory !== undefined) {
    await requireDirectory(settings.storageDirectory, capabilities);
  }
  const source = openSource(settings, capabilities);
  if (id !== undefined) {
    if (verdict === undefined)
      throw usageError(
        'verdict',
        `the answer to ${visible(id)} is missing: deny, once, session or always; \`bulkhead approvals\` alone lists what is pending`,
      );
    return answer(source, id, verdict, settings, capabilities);
  }
  const seen = new Set<string>();
  const showNew = async (): Promise<void> => {
    for (const pending of await source.list()) {
      if (seen.has(pending.approvalId)) continue;
      seen.add(pending.approvalId);
      await print(settings, capabilities, pending.fields, formatPending(pending));
    }
  };
  await showNew();
  if (settings.watch !== true) {
    if (seen.size === 0 && settings.json !== true)
      await capabilities.stdout.write('no approval is pending\n');
    return EXIT.ok;
  }
  while (!capabilities.interrupted.aborted) {
    await pause(WATCH_MS, capabilities.interrupted);
    if (!capabilities.interrupted.aborted) await showNew();
  }
  return EXIT.ok;
}

async function answer(
  source: ApprovalSource,
  id: string,
  verdict: string,
  settings: ApprovalsSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const all = await source.list();
  // A shorter start could match an approval that arrived after the list was shown.
  const matching =
    id.length < MIN_ID ? [] : all.filter(({ approvalId }) => approvalId.startsWith(id));
  const [pending] = matching;
  if (pending === undefined || matching.length > 1) {
    throw usageError(
      'id',
      `${matching.length === 0 ? 'no approval is pending' : 'several approvals are pending'} under ${visible(id)}${id.length < MIN_ID ? `; use at least ${MIN_ID} characters of the id` : ''}`,
    );
  }
  const { approvalId } = pending;
  const reason = settings.reason === undefined ? {} : { reason: settings.reason };
  await source.answer(pending, { verdict, ...reason });
  await print(
    settings,
    capabilities,
    { ok: true, approvalId, verdict },
    `${visible(approvalId)} ${visible(verdict)}\n`,
  );
  return EXIT.ok;
}

async function listPending(
  settings: ServerSettings,
  capabilities: CliCapabilities,
): Promise<PendingApproval[]> {
  const data = await ask(settings, capabilities, '/api/approvals');
  const list: unknown = isRecord(data) ? data['approvals'] : undefined;
  return (Array.isArray(list) ? list : []).flatMap((fields: unknown) => {
    if (!isRecord(fields)) return [];
    const { approvalId, digest } = fields;
    return typeof approvalId === 'string' && typeof digest === 'string'
      ? [{ approvalId, digest, fields }]
      : [];
  });
}

type ServerSettings = Pick<ApprovalsSettings, 'url'> & { readonly token: string };

/** Sends a request to the server. Throws the server's error. */
async function ask(
  { url = DEFAULT_URL, token }: ServerSettings,
  { http }: Pick<CliCapabilities, 'http'>,
  path: string,
  body?: object,
): Promise<unknown> {
  const { status, text } = await http(`${url.replace(/\/+$/, '')}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    token,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    const why = reasonOf(error);
    throw usageError('--url', `the server at ${url} is not reachable: ${why}`);
  });
  const data = parse(text, url);
  if (status < 400) return data;
  const reason =
    isRecord(data) && typeof data['error'] === 'string' ? data['error'] : `status ${status}`;
  throw new BulkheadError('APPROVAL_DENIED', `The server refused the answer: ${reason}.`, {
    tool: path,
  });
}

function parse(text: string, url: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usageError(
      '--url',
      `the server at ${url} is not a Bulkhead server; its response is not JSON`,
    );
  }
}

function formatPending({ approvalId, fields }: PendingApproval): string {
  const text = (name: string): string => {
    const value = fields[name];
    return typeof value === 'string' ? isolated(value) : '';
  };
  const { effect, expiresAtMs, offers, input } = fields;
  const until = typeof expiresAtMs === 'number' ? new Date(expiresAtMs).toISOString() : '';
  return [
    `${visible(approvalId)}  [${text('risk').toUpperCase()}] ${text('id')} ${text('version')}`,
    `  reason        ${text('why')}`,
    ...(text('asker') === '' ? [] : [`  asked by      ${text('asker')}`]),
    ...(text('tenant') === '' ? [] : [`  tenant        ${text('tenant')}`]),
    `  answers       ${Array.isArray(offers) ? offers.map((one) => visible(String(one))).join(', ') : ''}; until ${until}`,
    ...isolatedJson(input ?? null)
      .split('\n')
      .map((line) => `    ${line}`),
    ...(isRecord(effect) ? effectLines(readEffect(effect)) : []),
    '',
  ].join('\n');
}
