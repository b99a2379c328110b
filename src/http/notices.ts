import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Engine } from '../engine/engine-api.js';
import type { Logger } from '../engine/types/options.js';
import { BulkheadError, messageOf } from '../errors.js';

/** A webhook that hears of each question that waits for a person. */
export interface NoticeOptions {
  /** HTTPS, or HTTP on this machine. */
  readonly url: string;
  /** The key of the signature: 24 bytes or more. With `whsec_`, the rest is Base64, else the text is the key. */
  readonly secret: string;
}

export interface Notices {
  /** Stops sending. Notices that are not sent yet are dropped. */
  close(): void;
}

interface NoticesSpec {
  readonly engine: Pick<Engine, 'approvals' | 'on'>;
  readonly targets: readonly NoticeOptions[];
  /** The origin of the console, for the links. Absent: a notice has no link. */
  readonly origin: (() => string) | undefined;
  readonly logger: Logger;
  readonly fetch?: typeof fetch;
  /** Milliseconds before each attempt. Default: 0, 1 s, 5 s and 30 s. */
  readonly attemptsMs?: readonly number[];
}

const ATTEMPTS_MS: readonly number[] = [0, 1_000, 5_000, 30_000];
const TIMEOUT_MS = 10_000;
/** Notices that wait for one webhook. A model can ask in a loop. */
const MAX_QUEUED = 100;
/** Bytes. */
const MIN_KEY = 24;

/**
 * Sends a signed notice for each question, by the Standard Webhooks convention: `webhook-id`,
 * `webhook-timestamp`, and `webhook-signature` with HMAC-SHA256. A notice has no input and no words of the
 * plugin, and its link opens the page of that question for a session: it gives no access by itself. Throws
 * `INVALID_OPTIONS`.
 */
export function sendNotices(spec: NoticesSpec): Notices {
  const { targets } = spec;
  checkNotices(targets);
  const end = new AbortController();
  const queued = new Map<string, number>();
  const unsubscribe = spec.engine.on((event) => {
    if (event.type !== 'approval-asked') return;
    const { approval, risk, tenant, atMs, expiresAtMs } = event;
    // Events are emitted before a callback can answer, and such a question waits for no person.
    setImmediate(() => {
      const entry = spec.engine.approvals.get(approval);
      if (end.signal.aborted || entry?.state !== 'pending') return;
      const origin = spec.origin?.();
      const body = JSON.stringify({
        type: 'approval.pending',
        timestamp: new Date(atMs).toISOString(),
        data: {
          approvalId: approval,
          tool: entry.question.id,
          risk,
          ...(tenant === undefined ? {} : { tenant }),
          expiresAt: new Date(expiresAtMs).toISOString(),
          ...(origin === undefined ? {} : { url: `${origin}/console/approvals/${approval}` }),
        },
      });
      for (const target of targets) void deliver(target, body);
    });
  });

  const deliver = async (target: NoticeOptions, body: string): Promise<void> => {
    const { host } = new URL(target.url);
    const waiting = queued.get(target.url) ?? 0;
    // guard: notices-queue-capped
    if (waiting >= MAX_QUEUED) return spec.logger.warn({ host }, 'a notice was dropped: too many');
    queued.set(target.url, waiting + 1);
    const id = `msg_${randomUUID()}`;
    let failure = '';
    for (const delayMs of spec.attemptsMs ?? ATTEMPTS_MS) {
      await wait(delayMs, end.signal);
      if (end.signal.aborted) return;
      const outcome = await post(target, { id, body }, spec.fetch ?? fetch, end.signal);
      if (outcome === undefined) {
        queued.set(target.url, (queued.get(target.url) ?? 1) - 1);
        return;
      }
      failure = outcome;
    }
    queued.set(target.url, (queued.get(target.url) ?? 1) - 1);
    spec.logger.warn({ host, why: failure }, 'a notice was not delivered');
  };

  return {
    close: () => {
      end.abort();
      unsubscribe();
    },
  };
}

/** Why the notice did not arrive; `undefined` if it did. */
async function post(
  { url, secret }: NoticeOptions,
  { id, body }: { readonly id: string; readonly body: string },
  send: typeof fetch,
  signal: AbortSignal,
): Promise<string | undefined> {
  const seconds = String(Math.floor(Date.now() / 1_000));
  try {
    const response = await send(url, {
      method: 'POST',
      body,
      // A redirect would send the notice to a host that the operator did not name.
      // guard: notice-follows-no-redirect
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': seconds,
        'webhook-signature': signatureOf(secret, `${id}.${seconds}.${body}`),
      },
    });
    await response.body?.cancel();
    return response.ok ? undefined : `status ${response.status}`;
  } catch (error) {
    return messageOf(error);
  }
}

function signatureOf(secret: string, text: string): string {
  return `v1,${createHmac('sha256', keyOf(secret)).update(text).digest('base64')}`;
}

function keyOf(secret: string): Buffer {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
}

/** Throws `INVALID_OPTIONS`. */
export function checkNotices(targets: readonly NoticeOptions[]): void {
  for (const one of targets) checkTarget(one);
}

function checkTarget({ url, secret }: NoticeOptions): void {
  if (!URL.canParse(url)) throw invalid(`${JSON.stringify(url)} is not a URL`);
  const { protocol, hostname, username, password } = new URL(url);
  const isHere = ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
  // guard: notices-encrypted
  if (protocol !== 'https:' && !(protocol === 'http:' && isHere)) {
    throw invalid(`${hostname} needs an https URL`);
  }
  if (username !== '' || password !== '') throw invalid('the URL must not hold a password');
  // guard: notice-secret-length
  if (keyOf(secret).length < MIN_KEY) {
    const what = secret.startsWith('whsec_') ? 'bytes, in Base64 after whsec_' : 'characters';
    throw invalid(`the secret for ${hostname} needs at least ${MIN_KEY} ${what}`);
  }
}

function invalid(why: string): BulkheadError<'INVALID_OPTIONS'> {
  return new BulkheadError(
    'INVALID_OPTIONS',
    `A notice cannot be sent: ${why}. Correct notices in the configuration.`,
    { option: 'notices' },
  );
}

/** Also returns if the signal is aborted. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  return ms === 0
    ? Promise.resolve()
    : setTimeout(ms, undefined, { signal, ref: false }).catch(() => {});
}
