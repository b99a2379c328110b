import { type Audit, makeAudit } from '../audit/audit.js';
import { openAuditLog } from '../audit/log.js';
import { type AuditOptions, policyOf, storeOf } from '../audit/options.js';
import { RECORDED } from '../audit/record.js';
import { BulkheadError } from '../errors.js';
import type { EventBus } from '../events.js';
import type { Logger } from './options/options.js';
import { hostPid } from './powers/surroundings.js';

/** The engine's log, as the engine itself uses it. */
export interface OpenAudit {
  readonly audit: Audit;
  /** What a call of high risk waits for; absent where no log is kept. */
  readonly flush: (() => Promise<void>) | undefined;
  /** Writes what is left, the ends of the guests included. */
  close(): Promise<void>;
}

/** Guests that were just killed are gone within this, or their ends are not recorded. */
const LAST_ENDS_MS = 1_000;

/** Begins to keep the log that the options ask for. Throws `AUDIT_FAILED`, `INVALID_OPTIONS`. */
export async function openAudit(
  options: AuditOptions | undefined,
  events: EventBus,
  logger: Logger,
): Promise<OpenAudit> {
  if (options === undefined) {
    return { audit: NO_AUDIT, flush: undefined, close: () => Promise.resolve() };
  }
  const store = options.store ?? storeOf(fileOf(options), options);
  const log = await openAuditLog({
    store,
    policy: policyOf(options),
    sync: options.sync ?? 'second',
    pid: hostPid(),
    now: Date.now,
    onFailure: (error) => logger.error({ audit: store.name }, error.message),
  });
  events.on(log.listener, RECORDED);
  const guests = countGuests(events);
  let tellClosed = (): void => {};
  const closed = new Promise<void>((resolve) => {
    tellClosed = resolve;
  });
  return {
    audit: makeAudit(store, log, closed),
    flush: log.flush,
    close: async () => {
      await guests.gone(LAST_ENDS_MS);
      await log.close();
      tellClosed();
    },
  };
}

function fileOf({ file }: AuditOptions): string {
  if (typeof file === 'string' && file !== '') return file;
  throw new BulkheadError(
    'INVALID_OPTIONS',
    'The option audit takes the file of the log, e.g. audit: { file: ".bulkhead/audit.jsonl" }, or a store.',
    { option: 'audit' },
  );
}

function countGuests(events: EventBus): { gone(withinMs: number): Promise<void> } {
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
    gone: (withinMs) =>
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
    'This engine keeps no audit log. Give createEngine the option audit, e.g. { file: ".bulkhead/audit.jsonl" }.',
    { option: 'audit' },
  );
}
