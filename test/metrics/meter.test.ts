import { describe, expect, it } from 'vitest';
import type { BulkheadEvent, WithoutTime } from '../../src/events.js';
import { makeMeter } from '../../src/metrics/meter.js';
import { makePlugin, startEngine } from '../engine/plugin-on-disk.js';

function linesAfter(
  events: readonly WithoutTime<BulkheadEvent>[],
  options?: Parameters<typeof makeMeter>[0],
): string[] {
  const meter = makeMeter(options);
  events.forEach((event, index) => meter.listener({ atMs: index * 1_000, ...event }));
  return meter
    .text()
    .split('\n')
    .filter((line) => !line.startsWith('#'));
}

const about = { call: 'c', plugin: 'p', tool: 't' };

describe('a meter', () => {
  it('counts calls by plugin, tool and how they ended', () => {
    const ok = { type: 'call-ended', ...about, outcome: 'ok', durationMs: 7 } as const;
    const lines = linesAfter([
      ok,
      ok,
      { ...ok, outcome: 'error', code: 'DEADLINE_EXCEEDED', durationMs: 20_000 },
    ]);
    expect(lines).toContain('bulkhead_calls_total{plugin="p",tool="t",outcome="ok"} 2');
    expect(lines).toContain(
      'bulkhead_calls_total{plugin="p",tool="t",outcome="DEADLINE_EXCEEDED"} 1',
    );
    expect(lines).toContain('bulkhead_call_seconds_bucket{plugin="p",tool="t",le="0.005"} 0');
    expect(lines).toContain('bulkhead_call_seconds_bucket{plugin="p",tool="t",le="0.01"} 2');
    expect(lines).toContain('bulkhead_call_seconds_bucket{plugin="p",tool="t",le="+Inf"} 3');
    expect(lines).toContain('bulkhead_call_seconds_count{plugin="p",tool="t"} 3');
    expect(lines).toContain('bulkhead_call_seconds_sum{plugin="p",tool="t"} 20.014');
  });

  it('knows what waits for an answer, and how long answers took', () => {
    const question = {
      ...about,
      kind: 'call',
      bundle: 'sha512-a',
      digest: 'd',
      risk: 'medium',
      why: 'so',
      approval: 'apr_1',
    } as const;
    const asked = { type: 'approval-asked', ...question, expiresAtMs: 60_000 } as const;
    const lines = linesAfter([
      asked,
      { ...asked, approval: 'apr_2' },
      { ...question, type: 'approval-given', verdict: 'once', waitedMs: 2_000 },
    ]);
    expect(lines).toContain('bulkhead_approvals_pending 1');
    expect(lines).toContain('bulkhead_prompts_total{plugin="p"} 2');
    expect(lines).toContain('bulkhead_approval_wait_seconds_sum{verdict="given"} 2');
  });

  it('counts guests that ended badly by why, and not those that were let go', () => {
    const end = { type: 'guest-ended', plugin: 'p', pid: 1, detail: '' } as const;
    const lines = linesAfter([
      { ...end, cause: 'memory' },
      { ...end, cause: 'idle' },
    ]);
    expect(lines.filter((line) => line.startsWith('bulkhead_sandbox_restarts_total'))).toEqual([
      'bulkhead_sandbox_restarts_total{plugin="p",reason="memory"} 1',
    ]);
  });

  it('writes names so that they stay one label of one line', () => {
    const plugin = 'a"} 1\nbulkhead_calls_total{plugin="forged\\';
    const lines = linesAfter([
      { type: 'capability-denied', plugin, permission: 'network', wanted: 'GET https://x.test/' },
    ]);
    expect(lines).toContain(
      String.raw`bulkhead_denied_total{plugin="a\"} 1\nbulkhead_calls_total{plugin=\"forged\\",permission="network"} 1`,
    );
  });

  it('has as many series as it is told at most, and one for all others', () => {
    const events = Array.from({ length: 50 }, (_, index) => ({
      type: 'capability-denied' as const,
      plugin: `p${index}`,
      permission: 'time' as const,
      wanted: 'Date.now',
    }));
    const lines = linesAfter(events, { maxSeries: 10 });
    const denied = lines.filter((line) => line.startsWith('bulkhead_denied_total'));
    expect(denied).toHaveLength(11);
    expect(denied.at(-1)).toBe('bulkhead_denied_total{plugin="_other",permission="_other"} 40');
  });

  it('holds nothing of what a call was given, answered or asked for', async () => {
    const meter = makeMeter();
    const plugin = makePlugin({
      tools: { run: `(input) => { try { Date.now() } catch {} return 'answer-' + input.word }` },
    });
    const engine = await startEngine([plugin], { onEvent: meter.listener, limits: { pool: 1 } });
    await engine.call('run', { word: 'hunter2' });
    await engine.close();
    const text = meter.text();
    expect(text).toContain('bulkhead_calls_total{plugin="sample",tool="run",outcome="ok"} 1');
    expect(text).toContain('bulkhead_denied_total{plugin="sample",permission="time"} 1');
    expect(text).toMatch(/bulkhead_pool_warm \d/);
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain('Date.now');
  });

  it('writes what Prometheus reads: a heading for each metric, a number on each line', () => {
    const text = makeMeter().text();
    const names = [...text.matchAll(/^# TYPE (\S+) (?:counter|gauge|histogram)$/gm)];
    expect(names.length).toBe([...text.matchAll(/^# HELP /gm)].length);
    for (const line of text.trimEnd().split('\n')) {
      expect(line).toMatch(/^(?:# (?:HELP|TYPE) .+|[a-z_]+(?:\{.*\})? [\d.+e-]+)$/);
    }
  });
});
