import type { ConsumerMessages } from '@nats-io/jetstream';
import { type Link, linkOf, START } from '../audit/chain.js';
import type { StoredLine } from '../audit/store.js';
import { type Anchor, type AuditVerdict, verify, type VerifyOptions } from '../audit/verify.js';
import { auditStreamOf, lineOf } from './audit-stream.js';
import type { Cell } from './connection.js';

/** The verdict about one runner's audit log. */
export interface RunnerAudit {
  readonly runner: string;
  readonly verdict: AuditVerdict;
}

/** How the logs of all runners are verified. */
export interface VerifyRunnersOptions extends Pick<VerifyOptions, 'keys'> {
  /** Records that were anchored, by runner. A runner with anchors must have a log. Default: none. */
  readonly anchors?: ReadonlyMap<string, readonly Anchor[]>;
}

/** Follows the audit logs of all runners in the cell's stream, from their first records. */
export interface AuditWatch {
  /** Why the log of a runner is not intact; `undefined`: it is, as far as it was read. */
  broken(runner: string): string | undefined;
  /** Reads the whole stream, and verifies the log of each runner in it. */
  verifyAll(options?: VerifyRunnersOptions): Promise<readonly RunnerAudit[]>;
  close(): Promise<void>;
}

export interface AuditWatchSpec {
  readonly cell: Cell;
  readonly onBroken: (runner: string, why: string) => void;
}

export async function watchAudit({ cell, onBroken }: AuditWatchSpec): Promise<AuditWatch> {
  const { nats, connection, subjects } = cell;
  const client = nats.jetstream.jetstream(connection);
  const stream = auditStreamOf(cell.cell);
  const heads = new Map<string, Pick<Link, 'seq' | 'hash'>>();
  const broken = new Map<string, string>();

  /** Compares the records of a message with the last one before them. */
  const take = (runner: string, lines: readonly string[]): void => {
    if (broken.has(runner)) return;
    for (const line of lines) {
      const head = heads.get(runner);
      const link = linkOf(line);
      // The operator may have let the stream delete the oldest records.
      const expected = head ?? (link === undefined || link.seq === 1 ? START : undefined);
      const why = whyNotNext(link, expected);
      // guard: fleet-audit-followed
      if (link === undefined || why !== undefined) {
        const found = `record ${(head?.seq ?? 0) + 1} ${why ?? 'is missing'}`;
        broken.set(runner, found);
        onBroken(runner, found);
        return;
      }
      heads.set(runner, link);
    }
  };

  const consumer = await client.consumers.get(stream, {});
  const messages: ConsumerMessages = await consumer.consume({
    callback: (message) => take(subjects.lastToken(message.subject), message.string().split('\n')),
  });

  async function* linesOf(runner: string): AsyncGenerator<StoredLine> {
    const one = await client.consumers.get(stream, { filter_subjects: subjects.audit(runner) });
    const { num_pending: count } = await one.info();
    if (count === 0) return;
    const read = await one.consume();
    let number = 0;
    for await (const message of read) {
      for (const line of message.string().split('\n')) {
        number += 1;
        yield lineOf(line, `${stream} (${runner})`, number);
      }
      if (message.info.pending === 0) break;
    }
    await read.close();
  }

  return {
    broken: (runner) => broken.get(runner),
    verifyAll: async ({
      anchors: anchored = new Map<string, readonly Anchor[]>(),
      ...options
    } = {}) => {
      const manager = await client.jetstreamManager(false);
      const { state } = await manager.streams.info(stream, {
        subjects_filter: subjects.audit('*'),
      });
      const there = Object.keys(state.subjects ?? {}).map((one) => subjects.lastToken(one));
      const verdicts: RunnerAudit[] = [];
      const all = new Set([...heads.keys(), ...anchored.keys(), ...there]);
      for (const runner of [...all].toSorted()) {
        // What was there before must be there still.
        const before = heads.get(runner);
        // guard: fleet-audit-anchors-compared
        const anchors = [
          ...(anchored.get(runner) ?? []),
          ...(before === undefined ? [] : [before]),
        ];
        const verdict = await verify(linesOf(runner), { ...options, anchors });
        // The caller's alone.
        const compared = verdict.ok ? verdict.anchored - (before === undefined ? 0 : 1) : 0;
        verdicts.push({
          runner,
          verdict: verdict.ok ? { ...verdict, anchored: compared } : verdict,
        });
      }
      return verdicts;
    },
    close: async () => {
      await messages.close();
    },
  };
}

/** Why a record does not follow the one before it. `last` absent: any may be the first. */
function whyNotNext(
  link: Link | undefined,
  last: Pick<Link, 'seq' | 'hash'> | undefined,
): string | undefined {
  if (link === undefined) return 'was changed';
  if (last === undefined) return undefined;
  if (link.seq !== last.seq + 1) return 'is missing';
  return link.prev === last.hash ? undefined : 'does not contain the hash of the one before it';
}
