import { describe } from 'vitest';
import { stage } from './attempt.js';
import { got, gotNothing } from './verdicts.js';

describe('code that was not granted the time', () => {
  const escapeAttempt = stage({ hostile: 'tells-the-time' });

  escapeAttempt({
    tries: 'every way to make a date of now',
    tool: 'date',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'clocks of other names, and what moves like one',
    tool: 'other-clocks',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'the clock of events, handles and callbacks',
    tool: 'events',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'what differs from one error to the next',
    tool: 'errors',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'where it is: zone, locale, machine, user, directory',
    tool: 'places',
    verdict: got({
      offset: 0,
      text: 'Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)',
      number: '1,234.5',
      date: '1/1/1970',
      compare: -1,
      upper: 'I',
      env: 0,
      platform: true,
      host: 'localhost',
      home: '/home/plugin',
      user: 'plugin',
      cpus: 0,
      interfaces: 0,
      directory: '/plugin',
      pid: 1,
      argv: 2,
    }),
  });
});
