/** What bounds the audit log's memory and files. */
export const AUDIT_LIMITS: AuditLimits = {
  /** Records that wait to be written; beyond it they are dropped, and the log says how many. */
  maxWaitingRecords: 100_000,
  /** A file that would grow beyond this is full. */
  maxFileBytes: 16 * 1024 * 1024,
  /** Of one input, where inputs are kept in full. */
  maxInputCharacters: 16 * 1024,
  /** Of any other text of a record. */
  maxTextCharacters: 2_000,
  /** Records that a reader of `audit.stream` may be behind; one that is slower is cut off. */
  maxBehindRecords: 10_000,
};

export type AuditLimits = Readonly<
  Record<
    | 'maxWaitingRecords'
    | 'maxFileBytes'
    | 'maxInputCharacters'
    | 'maxTextCharacters'
    | 'maxBehindRecords',
    number
  >
>;
