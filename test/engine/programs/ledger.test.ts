import { describe, expect, it } from 'vitest';
import { makeLedger } from '../../../src/engine/programs/ledger.js';
import type { ProgramFact, ProgramLog } from '../../../src/engine/programs/program-log.js';

function logOf(written: ProgramFact[]): ProgramLog {
  return { append: (fact) => void written.push(fact), close: () => {} };
}

const request = (number: number, n: number): ProgramFact => ({
  type: 'request',
  number,
  op: 'call',
  params: { n },
});
const reply = (number: number): ProgramFact => ({
  type: 'reply',
  number,
  reply: { value: number },
});

describe('the ledger of a program', () => {
  it('gives the replies of the log in their order, whatever the order of the requests is', async () => {
    const written: ProgramFact[] = [];
    const facts = [request(1, 1), request(2, 2), request(3, 3), reply(3), reply(1)];
    const ledger = makeLedger(facts, logOf(written));
    const got: unknown[] = [];
    for (const n of [1, 2, 3]) {
      const { number, known } = ledger.note('call', { n });
      const answer =
        known.reply === undefined
          ? ledger.caughtUp.then(() => ledger.deliver(number, { value: 'new' }))
          : ledger.logged(number);
      void answer.then((one) => got.push([number, one]));
    }
    await expect.poll(() => got).toHaveLength(3);
    expect(got).toEqual([
      [3, { value: 3 }],
      [1, { value: 1 }],
      [2, { value: 'new' }],
    ]);
    expect(written).toEqual([{ type: 'reply', number: 2, reply: { value: 'new' } }]);
  });

  it('refuses a program that makes other requests than before', () => {
    const ledger = makeLedger([request(1, 1), reply(1)], logOf([]));
    expect(() => ledger.note('call', { n: 2 })).toThrow(
      expect.objectContaining({ code: 'PROGRAM_FAILED' }),
    );
    const other = makeLedger([request(1, 1)], logOf([]));
    expect(() => other.note('search', { n: 1 })).toThrow('another request 1');
  });
});
