/** The audit log: reading, searching, verifying and explaining it. */
export { type AuditOptions, type AuditReader, readAudit } from '../audit/options.js';
export { type CallAccount, explainCall, formatRecord } from '../audit/why.js';
export { type Anchor, type AuditVerdict, formatAnchor, parseAnchors } from '../audit/verify.js';
export type { AuditFilter } from '../audit/query.js';
export type { AuditRecord } from '../audit/record.js';
export type { AuditStore } from '../audit/store.js';
export type { Audit } from '../audit/audit.js';
export type { AnchorTarget } from '../audit/disk/anchor-targets.js';
export type { VerifyOptions } from '../audit/verify.js';
export { readPublicKeys } from '../keys/key-file.js';
