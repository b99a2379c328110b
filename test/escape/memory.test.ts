import { describe } from 'vitest';
import { stage } from './attempt.js';
import { ended, refused, type Verdict } from './verdicts.js';

describe('code that takes all the memory there is', () => {
  const escapeAttempt = stage({
    hostile: 'hoards-memory',
    options: () => ({ limits: { memoryMb: 32 } }),
  });

  const outOfMemory = ended('GUEST_OUT_OF_MEMORY');
  // What grows slowly meets its deadline first; what does not fit anywhere is an error of its own.
  const outOfMemoryOrTime = ended('GUEST_OUT_OF_MEMORY', 'DEADLINE_EXCEEDED');
  const tooLarge = refused('RESULT_TOO_LARGE');
  const failed = refused('TOOL_FAILED');

  const attempts: readonly (readonly [tool: string, tries: string, verdict: Verdict])[] = [
    ['arrays', 'arrays', outOfMemory],
    ['map', 'a map', outOfMemory],
    ['strings', 'strings', outOfMemory],
    ['bound-functions', 'functions bound to functions', outOfMemory],
    ['filled-array', 'the longest array, filled', outOfMemory],
    ['deep-json', 'JSON nested five million deep', outOfMemoryOrTime],
    [
      'buffers',
      'buffers, which no limit of V8 counts',
      ended('TOOL_FAILED', 'GUEST_OUT_OF_MEMORY'),
    ],
    ['buffers-that-it-swallows', 'buffers, whatever the refusal', outOfMemoryOrTime],
    ['big-number', 'one big number', outOfMemoryOrTime],
    ['text-decoder', 'text that is decoded for it', ended('GUEST_OUT_OF_MEMORY', 'TOOL_FAILED')],
    ['one-long-string', 'one long string', failed],
    ['doubled-string', 'a string that doubles', failed],
    ['joined-array', 'a join', failed],
    ['pattern', 'one large pattern', ended('TOOL_FAILED', 'GUEST_OUT_OF_MEMORY')],
    ['clone-of-a-graph', 'a clone of a long chain', ended('TOOL_FAILED', 'GUEST_OUT_OF_MEMORY')],
    ['sparse-array', 'a result with four thousand million holes', tooLarge],
    ['shared-graph', 'a result that is small until it is written out', tooLarge],
    [
      'deep-result',
      'a result nested a million deep',
      // To make it takes long on a busy machine, and what takes too long is ended, too.
      ended('RESULT_TOO_LARGE', 'GUEST_OUT_OF_MEMORY', 'DEADLINE_EXCEEDED'),
    ],
    [
      'wide-result',
      'a result of ten million values',
      ended('RESULT_TOO_LARGE', 'GUEST_OUT_OF_MEMORY'),
    ],
    ['long-result', 'a result of fifty million characters', tooLarge],
    ['long-keys', 'a result with long keys', tooLarge],
    ['escapes', 'a result that grows sixfold where it is quoted', tooLarge],
  ];
  // What only ends by its deadline gets a short one.
  const endless = ['deep-json', 'buffers-that-it-swallows', 'big-number'];
  for (const [tool, tries, verdict] of attempts) {
    escapeAttempt({ tries, tool, deadlineMs: endless.includes(tool) ? 1_000 : 8_000, verdict });
  }
});
