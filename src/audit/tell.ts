import type { AuditRecord } from './record.js';

/** A record as one sentence for people. Texts of plugins are in it as they are: show them escaped. */
export function tellRecord(record: AuditRecord): string {
  switch (record.type) {
    case 'log-opened':
      return `process ${record.pid} began to write`;
    case 'log-closed':
      return 'the log was closed';
    case 'log-repaired':
      return `a torn write of ${record.bytes} bytes was taken off`;
    case 'records-lost':
      return `${record.count} records were lost`;
    case 'files-removed':
      return `records up to ${record.through} are kept no longer`;
    case 'plugin-found':
      return `found in ${record.directory}`;
    case 'plugin-refused':
      return `${record.code}: ${record.message}`;
    case 'plugin-loaded':
      return `${record.entry} loaded in ${ms(record.durationMs)}, bundle ${shortHash(record.bundle)}`;
    case 'permissions-granted':
      return `${record.entry} was granted ${tellPermissions(record.granted)}`;
    case 'permission-changed':
      return `${record.permissions.join(' ')} ${record.change === 'granted' ? 'was granted while it ran' : 'was taken from it'}`;
    case 'guest-started':
      return `guest ${record.pid} started`;
    case 'guest-ended':
      return `guest ${record.pid} ended (${record.cause}): ${record.detail}`;
    case 'call-started':
      return `${record.tool} began${input(record)}, bundle ${shortHash(record.bundle)}`;
    case 'call-ended':
      return `${record.tool} ended ${record.code ?? record.outcome} after ${ms(record.durationMs)}${place(record.at)}`;
    case 'approval-asked':
      return `${asked(record)} asked for approval (${record.risk} risk): ${record.why}`;
    case 'approval-given':
      return `${asked(record)} was approved ${record.verdict}${answerer(record)} after ${ms(record.waitedMs)}`;
    case 'approval-refused':
      return `${asked(record)} was refused (${record.code}) after ${ms(record.waitedMs)}: ${record.reason}`;
    case 'hook-ended':
      return `hook ${record.hook} ended ${record.code ?? record.outcome} after ${ms(record.durationMs)}`;
    case 'effect-unannounced':
      return `${record.tool} declares that it only reads, and sent ${record.effect}`;
    case 'capability-used':
      return `${record.permission}: ${record.wanted}${because(record.outcome)}`;
    case 'capability-denied':
      return `DENIED ${record.permission}: ${record.wanted}${place(record.at)}`;
    case 'secret-inserted':
      return `secret ${record.secret} was sent to ${record.host}`;
    case 'secret-withheld':
      return `secret ${record.secret} was kept from ${record.host}`;
    case 'secret-scrubbed':
      return `secret ${record.secret} came back from ${record.host}, and was taken out`;
    case 'alert':
      return `${record.level}: ${record.message}`;
  }
}

function tellPermissions(permissions: object): string {
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

function because(reason: string | undefined): string {
  return reason === undefined ? '' : `: ${reason}`;
}

function asked({ tool, effect }: { tool: string; effect?: string }): string {
  return effect === undefined ? tool : `${tool}, about to send ${effect},`;
}

function answerer({ by, rule }: { by?: string; rule?: string }): string {
  if (by !== undefined) return ` by ${by}${rule === undefined ? '' : `, as rule ${rule},`}`;
  return rule === undefined ? '' : ` by rule ${rule}`;
}

function place(at: string | undefined): string {
  return at === undefined ? '' : ` at ${at}`;
}

function shortHash(hash: string): string {
  return hash.slice(0, 19);
}

function ms(duration: number): string {
  return `${Math.round(duration * 10) / 10} ms`;
}
