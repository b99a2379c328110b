import type { EventOf } from '../events.js';
import type { AuditRecord } from './record.js';

/** One call, reconstructed from its records. */
export interface CallAccount {
  readonly call: string;
  readonly plugin: string;
  readonly tool: string;
  /** What the plugin was granted at the time of the call; absent if the log does not go back that far. */
  readonly grant?: Extract<AuditRecord, { readonly type: 'permissions-granted' }>;
  readonly steps: readonly CallStep[];
  /** `refused`: the call never ran. `open`: the log has no record of its end. */
  readonly outcome: 'ok' | 'error' | 'refused' | 'open';
}

interface CallStep {
  readonly record: AuditRecord;
  readonly text: string;
  /** `false`: the plugin did it during the call, for this call or for another. */
  readonly sure: boolean;
}

/**
 * Collects the records of one call: the plugin's grant, the approvals, what the plugin did, and how
 * the call ended. `undefined` if the log has no such call.
 */
export async function explainCall(
  records: AsyncIterable<AuditRecord>,
  call: string,
): Promise<CallAccount | undefined> {
  const grants = new Map<string, CallAccount['grant']>();
  const steps: CallStep[] = [];
  let about: Pick<CallAccount, 'plugin' | 'tool' | 'grant'> | undefined;
  let outcome: CallAccount['outcome'] = 'open';
  for await (const record of records) {
    const own = 'call' in record && record.call === call;
    if (record.type === 'permissions-granted' && about === undefined) {
      grants.set(record.plugin, record);
    }
    if (own && about === undefined && 'tool' in record) {
      const { plugin, tool } = record;
      const grant = grants.get(plugin);
      about = { plugin, tool, ...(grant === undefined ? {} : { grant }) };
    }
    if (about === undefined) continue;
    // A guest's start and end concern every call of the plugin.
    const sure = own || GUEST_LIFETIME.has(record.type);
    if (own || isPerhaps(record, call, about.plugin, outcome)) {
      steps.push({ record, sure, text: formatRecord(record) });
    }
    if (own && record.type === 'call-ended') ({ outcome } = record);
    if (own && record.type === 'approval-refused' && record.kind === 'call') outcome = 'refused';
  }
  return about === undefined ? undefined : { call, ...about, steps, outcome };
}

/** Whether the plugin did it during the call, if the record names no call or several. */
function isPerhaps(
  record: AuditRecord,
  call: string,
  plugin: string,
  outcome: CallAccount['outcome'],
): boolean {
  if ('among' in record && record.among !== undefined) return record.among.includes(call);
  if (!('plugin' in record) || record.plugin !== plugin || 'call' in record) return false;
  if (record.type === 'guest-ended') return record.cause !== 'idle' && record.cause !== 'closed';
  return outcome === 'open' && DURING.has(record.type);
}

const GUEST_LIFETIME: ReadonlySet<string> = new Set([
  'plugin-loaded',
  'guest-started',
  'guest-ended',
]);

const DURING: ReadonlySet<string> = new Set([
  'call-rerun',
  'plugin-loaded',
  'guest-started',
  'secret-inserted',
  'secret-withheld',
  'secret-scrubbed',
  'capability-used',
  'capability-denied',
]);

/** A record as one sentence for people. Contains unescaped texts of plugins: escape them for display. */
export function formatRecord(record: AuditRecord): string {
  switch (record.type) {
    case 'log-opened':
      return `process ${record.pid} opened the log${record.exceptions === undefined ? '' : ` with ${record.exceptions.join(', ')}`}`;
    case 'checkpoint':
      return `records ${record.since} to ${record.seq - 1} were signed with ${record.key}`;
    case 'unattested':
      return `no signature vouches for records ${record.since} to ${record.through}`;
    case 'segment-started':
      return `the log before this one was not intact at record ${record.record} (${record.reason}); it was renamed to ${record.file}`;
    case 'older-log-closed':
      return `the previous log, of format version ${record.formatVersion}, was renamed to ${record.file}`;
    case 'log-closed':
      return 'the log was closed';
    case 'log-repaired':
      return `a torn write of ${record.bytes} bytes was removed`;
    case 'records-lost':
      return `${record.count} records were lost`;
    case 'files-removed':
      return `records up to ${record.through} were deleted`;
    case 'plugin-found':
      return `found in ${record.directory}`;
    case 'plugin-refused':
      return `${record.code}: ${record.message}`;
    case 'reload-failed':
      return `the change on disk was not loaded, ${record.code}: ${record.message}`;
    case 'plugin-loaded':
      return `${record.entry} loaded in ${ms(record.durationMs)}, bundle ${shortHash(record.bundle)}`;
    case 'permissions-granted':
      return `${record.entry} was granted ${formatPermissions(record.granted)}`;
    case 'permission-changed':
      return `${record.permissions.join(' ')} ${record.change === 'granted' ? 'was granted while it ran' : 'was revoked while it ran'}`;
    case 'guest-started':
      return `guest ${record.pid} started`;
    case 'guest-ended':
      return `guest ${record.pid} ended (${record.cause}): ${record.detail}`;
    case 'call-started':
      return `${record.tool} started${record.mode === undefined ? '' : ' as a dry run'}${input(record)}, bundle ${shortHash(record.bundle)}`;
    case 'call-ended':
      return `${record.tool} ended ${record.code ?? record.outcome} after ${ms(record.durationMs)}${place(record.at)}`;
    case 'call-rerun':
      return `${record.tool} runs a second time: ${record.reason}`;
    case 'state-lost':
      return `${record.entry} lost its state in memory (${record.cause}): ${record.detail}`;
    case 'approval-asked':
      return `${subject(record)} needs approval (${record.risk} risk): ${record.why}`;
    case 'approval-answered':
      return `${subject(record)} was answered ${record.verdict}${formatAnswerer(record)} after ${ms(record.waitedMs)}`;
    case 'approval-given':
      return `${subject(record)} was approved ${record.verdict}${formatAnswerer(record)} after ${ms(record.waitedMs)}`;
    case 'approval-refused':
      return `${subject(record)} was refused (${record.code})${formatAnswerer(record)} after ${ms(record.waitedMs)}: ${record.reason}`;
    case 'work-stopped':
    case 'work-resumed':
      return `${record.type === 'work-stopped' ? 'STOPPED' : 'resumed'} ${stopSubject(record)}${record.by === undefined ? '' : ` by ${record.by}`}${because(record.reason)}`;
    case 'hook-ended':
      return `hook ${record.hook} ended ${record.code ?? record.outcome} after ${ms(record.durationMs)}`;
    case 'effect-undeclared':
      return `${record.tool} declares that it is read-only, and sent ${record.effect}`;
    case 'capability-used':
      return `${record.permission}: ${record.wanted}${because(record.outcome)}`;
    case 'capability-denied':
      return `DENIED ${record.permission}: ${record.wanted}${inPackage(record.package)}${place(record.at)}`;
    case 'secret-inserted':
      return `secret ${record.secret} was sent to ${record.host}`;
    case 'secret-withheld':
      return `secret ${record.secret} was not sent to ${record.host}`;
    case 'secret-scrubbed':
      return `secret ${record.secret} was removed from a response of ${record.host}`;
    case 'alert':
      return `${record.level}: ${record.message}`;
  }
}

function formatPermissions(permissions: object): string {
  const held = Object.entries(permissions).flatMap(([kind, scopes]: [string, unknown]) => {
    if (Array.isArray(scopes)) return scopes.length === 0 ? [] : [`${kind} ${scopes.join(' ')}`];
    return scopes === true ? [kind] : [];
  });
  return held.length === 0 ? 'nothing' : held.join(', ');
}

function input({ input: text, inputDigest }: { input?: string; inputDigest?: string }): string {
  if (text !== undefined) return ` with ${text}`;
  return inputDigest === undefined ? '' : ` (input ${inputDigest.slice(0, 12)})`;
}

function inPackage(path: string | undefined): string {
  return path === undefined ? '' : ` by ${path}`;
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : `: ${reason}`;
}

function subject({ tool, effect }: { tool: string; effect?: string }): string {
  return effect === undefined ? tool : `${tool}, about to send ${effect},`;
}

/** Who or what answered: ` by ann (person, terminal)`, ` by rule r-1 of ann`, ` by the flag --yes`. */
export function formatAnswerer({ approver, channel, by, rule }: RecordedAnswerer): string {
  if (approver === 'flag')
    return by === undefined ? ' by the flag --yes' : ` by the flag --yes of ${by}`;
  if (approver === 'rule') return ` by rule ${rule ?? '?'}${by === undefined ? '' : ` of ${by}`}`;
  const stored = rule === undefined ? '' : `, as rule ${rule}`;
  if (approver === undefined) return by === undefined ? stored : ` by ${by}${stored}`;
  const name = by ?? (approver === 'person' ? 'a person' : "the host's approve function");
  return ` by ${name} (${approver}, ${channel ?? '?'})${stored}`;
}

type RecordedAnswerer = Partial<
  Pick<EventOf<'approval-given'>, 'approver' | 'channel' | 'by' | 'rule'>
>;

function place(at: string | undefined): string {
  return at === undefined ? '' : ` at ${at}`;
}

function shortHash(hash: string): string {
  return hash.slice(0, 19);
}

function ms(duration: number): string {
  return `${Math.round(duration * 10) / 10} ms`;
}

function stopSubject({
  stopped,
  plugin = '',
  tenant = '',
}: Extract<AuditRecord, { type: 'work-stopped' | 'work-resumed' }>): string {
  return { everything: 'everything', plugin: `plugin ${plugin}`, tenant: `tenant ${tenant}` }[
    stopped
  ];
}
