import { describe, expect, it } from 'vitest';
import type { BulkheadEvent, WithoutTime } from '../../src/events.js';
import { makeMeter } from '../../src/metrics/meter.js';
import { makePlugin, startEngine } from '../engine/plugin-on-disk.js';

async function linesAfter(
  events: readonly WithoutTime<BulkheadEvent>[],
  options?: Parameters<typeof makeMeter>[0],
): Promise<string[]> {
  const meter = makeMeter(options);
  events.forEach((event, index) => meter.listener({ atMs: index * 1_000, ...event }));
  const text = await meter.text();
  return text.split('\n').filter((line) => !line.startsWith('#'));
}

const about = { call: 'c', plugin: 'p', tool: 't' };

describe('a meter', () => {
  it('counts calls by plugin, tool and outcome', async () => {
    const ok = { type: 'call-ended', ...about, outcome: 'ok', durationMs: 7 } as const;
    const lines = await linesAfter([
      ok,
      ok,
      { ...ok, outcome: 'error', code: 'DEADLINE_EXCEEDED', durationMs: 20_000 },
    ]);
    expect(lines).toContain('bulkhead_calls_total{plugin="p",tool="t",outcome="ok"} 2');
    expect(lines).toContain(
      'bulkhead_calls_total{plugin="p",tool="t",outcome="DEADLINE_EXCEEDED"} 1',
    );
    expect(lines).toContain('bulkhead_call_seconds_bucket{le="0.005",plugin="p",tool="t"} 0');
    expect(lines).toContain('bulkhead_call_seconds_bucket{le="0.01",plugin="p",tool="t"} 2');
    expect(lines).toContain('bulkhead_call_seconds_bucket{le="+Inf",plugin="p",tool="t"} 3');
    expect(lines).toContain('bulkhead_call_seconds_count{plugin="p",tool="t"} 3');
    expect(lines).toContain('bulkhead_call_seconds_sum{plugin="p",tool="t"} 20.014');
  });

  it('counts HTTP requests, shows remote servers, the process and the build', async () => {
    const meter = makeMeter({
      process: true,
      build: { version: '1.2.3', node: 'v20' },
      remotes: () => [
        { id: 'up', isUp: true },
        { id: 'down', isUp: false },
      ],
    });
    meter.request({ route: '/mcp', status: 429, durationMs: 3 });
    meter.request({ route: '/mcp', status: 200, durationMs: 30 });
    const text = await meter.text();
    expect(text).toContain('bulkhead_http_requests_total{route="/mcp",status="429"} 1');
    expect(text).toContain('bulkhead_http_seconds_count{route="/mcp"} 2');
    expect(text).toContain('bulkhead_remote_up{remote="up"} 1');
    expect(text).toContain('bulkhead_remote_up{remote="down"} 0');
    expect(text).toContain('bulkhead_build_info{version="1.2.3",node="v20"} 1');
    expect(text).toContain('process_resident_memory_bytes');
  });

  it('shows the runners of a fleet as they are when it is read, up to the limit of series', async () => {
    const runner = { state: 'ready', callsUnderWay: 3, maxCalls: 64, freeMemory: 1_024 };
    let runners = [
      { ...runner, name: 'a' },
      { ...runner, name: 'b', state: 'silent' },
      { ...runner, name: 'c' },
    ];
    const meter = makeMeter({ runners: () => runners, maxSeries: 2 });
    const text = await meter.text();
    expect(text).toContain('bulkhead_fleet_runners{state="ready"} 2');
    expect(text).toContain('bulkhead_fleet_runners{state="silent"} 1');
    expect(text).toContain('bulkhead_fleet_runner_calls{runner="a"} 3');
    expect(text).toContain('bulkhead_fleet_runner_max_calls{runner="b"} 64');
    expect(text).toContain('bulkhead_fleet_runner_free_bytes{runner="a"} 1024');
    expect(text).not.toContain('runner="c"');
    runners = runners.slice(0, 1);
    const later = await meter.text();
    expect(later).toContain('bulkhead_fleet_runners{state="ready"} 1');
    expect(later).not.toContain('silent');
    expect(later).not.toContain('runner="b"');
  });

  it('counts pending approvals and measures the time to a verdict', async () => {
    const question = {
      ...about,
      kind: 'call',
      bundle: 'sha512-a',
      digest: 'd',
      risk: 'medium',
      why: 'so',
      approval: 'apr_1',
    } as const;
    const pending = { type: 'approval-asked', ...question, expiresAtMs: 60_000 } as const;
    const lines = await linesAfter([
      pending,
      { ...pending, approval: 'apr_2' },
      {
        ...question,
        type: 'approval-given',
        verdict: 'once',
        approver: 'program',
        channel: 'host',
        waitedMs: 2_000,
      },
    ]);
    expect(lines).toContain('bulkhead_approvals_pending 1');
    expect(lines).toContain('bulkhead_prompts_total{plugin="p"} 2');
    expect(lines).toContain('bulkhead_approval_wait_seconds_sum{verdict="given"} 2');
  });

  it('counts guests that failed by reason, and not guests that were unloaded', async () => {
    const end = { type: 'guest-ended', plugin: 'p', pid: 1, detail: '' } as const;
    const lines = await linesAfter([
      { ...end, cause: 'memory' },
      { ...end, cause: 'idle' },
    ]);
    expect(lines.filter((line) => line.startsWith('bulkhead_sandbox_restarts_total'))).toEqual([
      'bulkhead_sandbox_restarts_total{plugin="p",reason="memory"} 1',
    ]);
  });

  it('escapes names so that each stays one label on one line', async () => {
    const plugin = 'a"} 1\nbulkhead_calls_total{plugin="forged\\';
    const lines = await linesAfter([
      { type: 'capability-denied', plugin, permission: 'network', wanted: 'GET https://x.test/' },
    ]);
    expect(lines).toContain(
      String.raw`bulkhead_denied_total{plugin="a\"} 1\nbulkhead_calls_total{plugin=\"forged\\",permission="network"} 1`,
    );
  });

  it('limits the series of a metric and counts the rest as one', async () => {
    const events = Array.from({ length: 50 }, (_, index) => ({
      type: 'capability-denied' as const,
      plugin: `p${index}`,
      permission: 'time' as const,
      wanted: 'Date.now',
    }));
    const lines = await linesAfter(events, { maxSeries: 10 });
    const denied = lines.filter((line) => line.startsWith('bulkhead_denied_total'));
    expect(denied).toHaveLength(11);
    expect(denied.at(-1)).toBe('bulkhead_denied_total{plugin="_other",permission="_other"} 40');
  });

  it('contains no input, result or requested permission of a call', async () => {
    const meter = makeMeter();
    const plugin = makePlugin({
      tools: { run: `(input) => { try { Date.now() } catch {} return 'answer-' + input.word }` },
    });
    const engine = await startEngine([plugin], { onEvent: meter.listener, limits: { pool: 1 } });
    await engine.call('run', { word: 'hunter2' });
    await engine.close();
    const text = await meter.text();
    expect(text).toContain('bulkhead_calls_total{plugin="sample",tool="run",outcome="ok"} 1');
    expect(text).toContain('bulkhead_denied_total{plugin="sample",permission="time"} 1');
    expect(text).toMatch(/bulkhead_pool_standby \d/);
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain('Date.now');
  });

  it('writes the text format of Prometheus: a heading for each metric, a number on each line', async () => {
    const text = await makeMeter().text();
    const names = [...text.matchAll(/^# TYPE (\S+) (?:counter|gauge|histogram)$/gm)];
    expect(names.length).toBe([...text.matchAll(/^# HELP /gm)].length);
    for (const line of text.split('\n').filter((one) => one !== '')) {
      expect(line).toMatch(/^(?:# (?:HELP|TYPE) .+|[a-z_]+(?:\{.*\})? [\d.+e-]+)$/);
    }
  });
});
