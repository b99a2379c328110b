import { type Audit, makeAudit } from '../audit/audit.js';
import { makeAnchorSender } from '../audit/disk/anchor-targets.js';
import { type AuditLog, openAuditLog } from '../audit/log.js';
import {
  type AuditOptions,
  checkpointEveryOf,
  policyOf,
  signerOf,
  storeOf,
} from '../audit/options.js';
import { RECORDED } from '../audit/record.js';
import { BulkheadError } from '../errors.js';
import type { EventBus } from '../events.js';
import type { RiskBand } from '../plugin/risk.js';
import { hostPid } from './node/process-defaults.js';
import type { Logger } from './types/options.js';

/** The audit log, with the functions that only the engine uses. */
export interface OpenAudit {
  readonly audit: Audit;
  /**
   * What a call of that risk waits for before it has an effect: until its records are on the disk (high),
   * or written (medium). It rejects with `AUDIT_FAILED`. `undefined`: nothing.
   */
  readonly beforeEffect: (risk: RiskBand) => (() => Promise<void>) | undefined;
  /** Waits for the guests' end events, writes all remaining records and closes the log. */
  close(): Promise<void>;
}

/** Longest wait for the end events of killed guests, in milliseconds. Later ends are not recorded. */
const LAST_ENDS_MS = 1_000;

/** Opens the audit log that the options name, if any. Throws `AUDIT_FAILED`, `INVALID_OPTIONS`. */
export async function openAudit(
  options: AuditOptions | undefined,
  events: EventBus,
  logger: Logger,
): Promise<OpenAudit> {
  if (options === undefined) {
    return {
      audit: NO_AUDIT,
      beforeEffect: () => undefined,
      close: () => Promise.resolve(),
    };
  }
  const store = options.store ?? storeOf(fileOf(options), options);
  const signer = signerOf(options);
  const log = await openAuditLog({
    store,
    policy: policyOf(options),
    sync: options.sync ?? 'second',
    pid: hostPid(),
    now: Date.now,
    signer,
    checkpointEvery: checkpointEveryOf(options),
    anchors: (options.anchors ?? []).map(makeAnchorSender),
    exceptions: options.exceptions ?? [],
    onBroken: ({ file, why }) =>
      logger.error(
        { audit: store.name, file },
        `The audit log ${why}. It is ${file} now, and a new log began. Inspect the old one with \`bulkhead audit verify --file\`.`,
      ),
    onUnclosed: () =>
      logger.warn(
        { audit: store.name },
        'The audit log does not end with a close: its last writer died, or its last records were cut off. Compare it with an anchor: `bulkhead audit verify --anchor`.',
      ),
    onOlder: (file) =>
      logger.warn(
        { audit: store.name },
        `The audit log was of format version 1. It is ${file} now, and a new log began.`,
      ),
    onFailure: (error) => logger.error({ audit: store.name }, error.message),
  });
  events.on(log.listener, RECORDED);
  const guests = countGuests(events);
  let resolveClosed = (): void => {};
  const closed = new Promise<void>((resolve) => {
    resolveClosed = resolve;
  });
  return {
    audit: makeAudit(store, log, closed, signer && [signer.publicKey]),
    beforeEffect: (risk) => BEFORE_EFFECT[risk](log),
    close: async () => {
      await guests.whenEnded(LAST_ENDS_MS);
      await log.close();
      resolveClosed();
    },
  };
}

/** A write that is not yet on the disk shows a full disk, at a small part of the cost of a flush. */
const BEFORE_EFFECT: Readonly<
  Record<RiskBand, (log: AuditLog) => (() => Promise<void>) | undefined>
> = {
  low: () => undefined,
  medium: (log) => () => log.recorded(false),
  high: (log) => () => log.recorded(true),
};

function fileOf({ file }: AuditOptions): string {
  if (typeof file === 'string' && file !== '') return file;
  throw new BulkheadError(
    'INVALID_OPTIONS',
    'The option audit takes the file of the log, e.g. audit: { file: ".bulkhead/audit.jsonl" }, or a store.',
    { option: 'audit' },
  );
}

function countGuests(events: EventBus): { whenEnded(withinMs: number): Promise<void> } {
  let open = 0;
  let toldGone = (): void => {};
  events.on(
    ({ type }) => {
      open += type === 'guest-started' ? 1 : -1;
      if (open === 0) toldGone();
    },
    ['guest-started', 'guest-ended'],
  );
  return {
    whenEnded: (withinMs) =>
      new Promise((resolve) => {
        if (open === 0) return resolve();
        const timer = setTimeout(resolve, withinMs);
        toldGone = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}

const NO_AUDIT: Audit = {
  query: () => notKept(),
  stream: () => notKept(),
  flush: () => Promise.resolve(),
  verify: () => Promise.reject(whyNotKept()),
  get head() {
    return notKept();
  },
};

function notKept(): never {
  throw whyNotKept();
}

function whyNotKept(): BulkheadError {
  return new BulkheadError(
    'INVALID_OPTIONS',
    'This engine has no audit log. Give createEngine the option audit, e.g. { file: ".bulkhead/audit.jsonl" }.',
    { option: 'audit' },
  );
}
