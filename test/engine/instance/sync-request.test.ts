import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { answerNow } from '../../../src/engine/instance/sync-request.js';

const body = new Uint8Array(0);
const never = (): Promise<never> => new Promise(() => {});

/** The error of a request that the host does not answer within its time. */
async function late(changes: string | undefined): Promise<unknown> {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const answer = answerNow({ decide: never, body, changes }).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(5_000);
  return answer;
}

describe('a synchronous request that takes too long', () => {
  it('names the asynchronous form of a read', async () => {
    expect(await late(undefined)).toMatchObject({
      code: 'FILESYSTEM_LIMIT',
      message:
        'A synchronous file operation was stopped: it took longer than 5000 ms. ' +
        'Use the asynchronous form: await fs.promises.readFile(path).',
    });
  });

  it('says that a change has perhaps been made', async () => {
    expect(await late('"notes.db"')).toMatchObject({
      code: 'FILESYSTEM_LIMIT',
      message:
        'A synchronous file operation was stopped: it took longer than 5000 ms. ' +
        'Its change of "notes.db" has perhaps been made: read it before you try again.',
    });
  });
});
