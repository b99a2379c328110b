import { describe, expect, it } from 'vitest';
import { fixture, stage } from './attempt.js';
import { gotNothing } from './verdicts.js';
import { startEngine } from '../engine/plugin-on-disk.js';

describe('a Vellum plugin, with the module and the context that its host lends it', () => {
  const escapeAttempt = stage({ hostile: 'leans-on-its-host' });

  escapeAttempt({
    tries: 'everything that the host’s module leads to, gives and throws',
    tool: 'walks_the_api',
    deadlineMs: 10_000,
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'what a call hands over, and what else its system once did',
    tool: 'walks_its_context',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'to change what all files of its bundle are linked with',
    tool: 'reaches_the_linkage',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'to say in its result what is for the host to say',
    tool: 'forges_a_result',
    verdict: ({ result }) => {
      expect(Object.keys(result).toSorted()).toEqual([
        'callId',
        'content',
        'durationMs',
        'isError',
        'value',
      ]);
      expect(result.content).toEqual([]);
      expect(result.callId).not.toBe('call_of_another');
    },
  });

  escapeAttempt({
    tries: 'to drown its listeners',
    tool: 'floods_its_output',
    deadlineMs: 10_000,
    verdict: gotNothing,
  });
});

it('what it writes is cut, and nothing is heard after its answer', async () => {
  const engine = await startEngine([fixture('leans-on-its-host')]);
  const heard: string[] = [];
  await engine.call('floods_its_output', {}, { onOutput: (chunk) => heard.push(chunk) });
  const characters = heard.join('').length;
  await engine.call('breathe', {});
  expect(characters).toBeGreaterThan(0);
  expect(characters).toBeLessThanOrEqual(1024 * 1024);
  expect(heard.join('')).not.toContain('after the end');
});
