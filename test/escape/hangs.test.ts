import { describe } from 'vitest';
import { stage } from './attempt.js';
import { outOfTime } from './verdicts.js';

describe('code that never ends', () => {
  const escapeAttempt = stage({ hostile: 'never-ends' });
  const deadlineMs = 150;

  const places = {
    loop: 'a loop',
    'loop-after-a-turn': 'a loop after it has given way once',
    'getter-of-the-result': 'a getter of its result',
    'to-json': 'a toJSON of its result',
    trap: 'a trap of its result',
    'then-of-the-result': 'the then of what it returned',
    comparator: 'a comparator',
    replacer: 'a replacer',
    'message-of-an-error': 'the message of what it throws',
    'to-string-of-a-log-argument': 'what it logs, where that is made into text',
    'listener-of-the-signal': 'a listener that is told that it should end',
    timer: 'a timer',
    microtasks: 'microtasks that queue microtasks',
    promises: 'promises that lead to promises',
    thenables: 'a promise that resolves with itself',
    'async-iterator': 'an iterator without an end',
    'own-pattern': 'a pattern that backtracks for years',
    'big-numbers': 'numbers that only grow',
    'promise-that-never-settles': 'nothing at all, for ever',
  };
  for (const [tool, place] of Object.entries(places)) {
    escapeAttempt({ tries: place, tool, deadlineMs, verdict: outOfTime });
  }

  escapeAttempt({
    tries: 'a pattern of its schema that backtracks for years',
    tool: 'pattern-of-its-schema',
    input: { text: `${'a'.repeat(50)}!` },
    deadlineMs,
    verdict: outOfTime,
  });
});
