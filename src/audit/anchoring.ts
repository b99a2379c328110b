import type { AnchorSender } from './disk/anchor-targets.js';
import type { Head } from './record.js';
import { type AuditStore, auditFailed } from './store.js';
import type { Anchor } from './verify.js';
import { isDoneWithin } from '../waiting.js';

export interface AnchoringSpec {
  readonly store: AuditStore;
  /** Places that receive the last record's number and hash. Default: none. */
  readonly anchors?: readonly AnchorSender[];
  readonly now: () => number;
  /** Called when an anchor failed. */
  readonly onFailure: (error: Error) => void;
}

/** The newest anchor that a readable place has. */
export async function lastAnchor({
  anchors = [],
  onFailure,
}: Pick<AnchoringSpec, 'anchors' | 'onFailure'>): Promise<Anchor | undefined> {
  const found: Anchor[] = [];
  for (const { name, last } of anchors) {
    const anchor = await last?.().catch((error: unknown) => {
      onFailure(auditFailed(name, 'has anchors that cannot be read', error));
      return undefined;
    });
    if (anchor !== undefined) found.push(anchor);
  }
  return found.toSorted((a, b) => b.seq - a.seq)[0];
}

/** Sends anchors in the background. */
export interface Anchoring {
  send(head: Head): void;
  /** The next anchor says that a new segment began, and that the old one has that name. */
  startSegment(file: string): void;
  /** Waits for the last anchors, at most that long. */
  close(withinMs: number): Promise<void>;
}

/** Sends the newest head to each place, one after another. A place that fails gets the next head. */
export function makeAnchoring({ anchors = [], store, now, onFailure }: AnchoringSpec): Anchoring {
  const targets = anchors.map((sender) => ({
    sender,
    next: undefined as Head | undefined,
    busy: undefined as Promise<void> | undefined,
    segmentAfter: undefined as string | undefined,
  }));
  const run = async (target: (typeof targets)[number]): Promise<void> => {
    for (let head = target.next; head !== undefined; head = target.next) {
      target.next = undefined;
      const { segmentAfter } = target;
      const { seq, hash } = head;
      try {
        await target.sender.send({
          log: store.name,
          anchor: { seq, hash },
          atMs: now(),
          ...(segmentAfter === undefined ? {} : { segmentAfter }),
        });
        target.segmentAfter = undefined;
      } catch (error) {
        onFailure(auditFailed(store.name, `could not be anchored at ${target.sender.name}`, error));
      }
    }
    target.busy = undefined;
  };
  return {
    send: (head) => {
      for (const target of targets) {
        target.next = head;
        target.busy ??= run(target);
      }
    },
    startSegment: (file) => {
      for (const target of targets) target.segmentAfter = file;
    },
    close: async (withinMs) => {
      await isDoneWithin(
        Promise.all(targets.map(({ busy }) => busy ?? Promise.resolve())),
        withinMs,
      );
    },
  };
}
