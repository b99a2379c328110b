export interface AuditSettings {
  readonly file: string;
  readonly plugin?: string;
  readonly tool?: string;
  readonly type?: readonly string[];
  readonly call?: string;
  readonly since?: string;
  readonly until?: string;
  readonly follow?: boolean;
  readonly anchor?: string;
  readonly json?: boolean;
}

/** Where commands look for the log, unless they are told. */
export const USUAL_LOG = '.bulkhead/audit.jsonl';
