import { describe, expect, it } from 'vitest';
import { chosenCredentials } from '../../../src/cli/serve/options.js';

const file = {
  server: {
    token: 'from-the-file-000',
    viewToken: 'view-of-the-file',
    answerToken: 'file-answers-000',
  },
};

describe('the tokens that an operator chose', () => {
  it('come from the command line, else the environment, else the configuration', () => {
    const environment = { BULKHEAD_TOKEN: 'environment', BULKHEAD_VIEW_TOKEN: 'environment-view' };
    expect(chosenCredentials({ token: 'line' }, file, environment)).toEqual({
      call: 'line',
      view: 'environment-view',
      answer: 'file-answers-000',
    });
  });

  it('are not set if they are empty', () => {
    const environment = { BULKHEAD_TOKEN: '', BULKHEAD_VIEW_TOKEN: '', BULKHEAD_ANSWER_TOKEN: '' };
    expect(chosenCredentials({ token: '' }, {}, environment)).toEqual({});
    expect(chosenCredentials({ token: '' }, file, environment)).toMatchObject({
      call: 'from-the-file-000',
    });
  });
});
