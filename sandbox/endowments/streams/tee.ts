import {
  acquire,
  cancel,
  defer,
  enqueue,
  fail,
  finish,
  makeStreamState,
  read,
  start,
  type StreamState,
} from './stream-state.js';

interface Branch {
  readonly state: StreamState;
  readonly take: (chunk: unknown) => unknown;
  left: boolean;
  reason: unknown;
}

/**
 * Splits a stream into two with the same chunks. The second gets the results of `copy`. Chunks that
 * the slower one has not read stay in memory. The stream is cancelled when both are.
 */
export function teeStream(
  stream: StreamState,
  copy: (chunk: unknown) => unknown,
): [StreamState, StreamState] {
  const reader = acquire(stream);
  const left = defer<undefined>();
  let reading = false;
  let again = false;

  const pull = async (): Promise<void> => {
    if (reading) {
      again = true;
      return;
    }
    reading = true;
    try {
      do {
        again = false;
        const result = await read(reader);
        for (const branch of [one, other]) {
          if (branch.left) continue;
          if (result.done) finish(branch.state);
          else enqueue(branch.state, branch.take(result.value));
        }
      } while (again);
    } catch (error) {
      fail(one.state, error);
      fail(other.state, error);
    }
    reading = false;
  };
  const leave = (branch: Branch, reason: unknown): Promise<undefined> => {
    branch.left = true;
    branch.reason = reason;
    if (one.left && other.left) {
      cancel(stream, [one.reason, other.reason]).then(left.settle.resolve, left.settle.reject);
    }
    return left.promise;
  };
  const makeBranch = (take: Branch['take']): Branch => {
    const branch: Branch = {
      state: makeStreamState({
        pull,
        cancel: (reason) => leave(branch, reason),
        highWaterMark: 0,
        sizeOf: () => 1,
      }),
      take,
      left: false,
      reason: undefined,
    };
    return branch;
  };

  const one = makeBranch((chunk) => chunk);
  const other = makeBranch(copy);
  start(one.state, undefined);
  start(other.state, undefined);
  return [one.state, other.state];
}
