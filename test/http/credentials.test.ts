import { describe, expect, it } from 'vitest';
import { completeCredentials } from '../../src/http/credentials.js';

const chosen = {
  call: 'a-token-to-call-0',
  view: 'a-token-to-view-0',
  answer: 'a-token-to-answer',
  administer: 'a-token-to-manage',
};

describe('the credentials of a server', () => {
  it('are those that the operator chose, and random ones', () => {
    expect(completeCredentials(chosen)).toEqual(chosen);
    const [one, other] = [completeCredentials({}), completeCredentials({})];
    const tokens = [...Object.values(one), ...Object.values(other)];
    expect(new Set(tokens).size).toBe(8);
    for (const token of tokens) expect(token).toMatch(/^[\w-]{32}$/);
  });

  it.each(['', 'fifteen-letters'])('are not too short: %j', (call) => {
    expect(() => completeCredentials({ call })).toThrow('--token (or its variable or key) has');
  });

  it('fit into a header', () => {
    for (const call of ['sixteen letters 0', 'sixteen\nletters!', 'sixteen-lettérs!'])
      expect(() => completeCredentials({ call })).toThrow('a header cannot carry');
  });

  it('differ from each other', () => {
    expect(() => completeCredentials({ ...chosen, answer: chosen.call })).toThrow('are the same');
  });
});
