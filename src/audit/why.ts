import type { AuditRecord } from './record.js';
import { tellRecord } from './tell.js';

/** One call, as its records account for it. */
export interface CallAccount {
  readonly call: string;
  readonly plugin: string;
  readonly tool: string;
  /** What the plugin had been granted when it was called; absent where the log does not go back so far. */
  readonly grant?: Extract<AuditRecord, { readonly type: 'permissions-granted' }>;
  readonly steps: readonly CallStep[];
  /** `refused`: it never ran. `open`: the log has no end of it. */
  readonly outcome: 'ok' | 'error' | 'refused' | 'open';
}

export interface CallStep {
  readonly record: AuditRecord;
  readonly text: string;
  /** `perhaps`: its plugin did it meanwhile, for this call or another. */
  readonly sure: boolean;
}

/**
 * Gathers what a log says of one call: what the plugin might do, who was asked, what it did, and how
 * it ended. `undefined` where the log knows no such call.
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
    // That its guest came and went is so for whatever call.
    const sure = own || LIFE.has(record.type);
    if (own || isPerhaps(record, call, about.plugin, outcome)) {
      steps.push({ record, sure, text: tellRecord(record) });
    }
    if (own && record.type === 'call-ended') ({ outcome } = record);
    if (own && record.type === 'approval-refused' && record.kind === 'call') outcome = 'refused';
  }
  return about === undefined ? undefined : { call, ...about, steps, outcome };
}

/** What happened to the plugin while the call ran, and names no call, or several. */
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

const LIFE: ReadonlySet<string> = new Set(['plugin-loaded', 'guest-started', 'guest-ended']);

const DURING: ReadonlySet<string> = new Set([
  'plugin-loaded',
  'guest-started',
  'secret-inserted',
  'secret-withheld',
  'secret-scrubbed',
  'capability-used',
  'capability-denied',
]);
