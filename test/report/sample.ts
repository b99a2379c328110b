import { makeReport, type ReportSources } from '../../src/report/make-report.js';
import type { Report } from '../../src/report/report.js';
import { call, DAY_MS, granted, type Loose, NOW, recordsOf, statusOf, tool } from './builders.js';

const ANSWER = {
  type: 'approval-given',
  kind: 'call',
  call: 'c',
  plugin: 'notes',
  tool: 'purge',
  bundle: 'b',
  digest: 'd',
  risk: 'high',
  why: 'it destroys',
  approval: 'a1',
  by: 'ada',
  approver: 'person',
  channel: 'terminal',
};

const WEATHER = {
  network: ['api.openweathermap.org', 'tiles.openweathermap.org'],
  env: ['OPENWEATHER_API_KEY'],
  time: true,
};
const NOTES = { fs: ['notes', 'archive'], time: true, storage: true };
const SHADY = { network: ['*.cdn.example.net'], env: ['HOME_TOKEN'], random: true };

/** Three plugins in a month of use: an honest one, a careless one, and one that tries its luck. */
export function sampleSources(more: Partial<ReportSources> = {}): ReportSources {
  const days = Array.from({ length: 26 }, (_, index) => NOW - (25 - index) * DAY_MS);
  const records = [
    granted('weather', WEATHER),
    granted('notes', NOTES),
    granted('shady', SHADY),
    ...days.flatMap((atMs, index) => [
      ...Array.from({ length: 3 + ((index * 7) % 11) }, (_, n) =>
        call('weather', n % 4 === 0 ? 'forecast' : 'weather', atMs - n * 900_000, [
          'network GET https://api.openweathermap.org/data/2.5/weather?…',
        ]),
      ).flat(),
      ...Array.from({ length: 1 + (index % 3) }, (_, n) =>
        call('notes', n === 0 ? 'read' : 'search', atMs - n * 1_200_000, [
          'fs "notes/todo.md"',
          ...(n === 0 ? ['storage write index.json'] : []),
        ]),
      ).flat(),
      ...(index % 5 === 0
        ? call(
            'shady',
            'translate',
            atMs,
            [
              'network POST https://eu.cdn.example.net/v1',
              '!fs /etc/passwd src/telemetry.ts:41:12',
              ...(index % 10 === 0
                ? ['!network https://collect.example.com src/telemetry.ts:57:9']
                : []),
            ],
            index === 10 ? { outcome: 'error', code: 'DEADLINE_EXCEEDED' } : {},
          )
        : []),
    ]),
    {
      atMs: NOW - 3 * DAY_MS,
      type: 'secret-inserted',
      plugin: 'weather',
      secret: 'OPENWEATHER_API_KEY',
      place: 'query',
      host: 'api.openweathermap.org',
    },
    {
      atMs: NOW - 2 * DAY_MS,
      type: 'guest-ended',
      plugin: 'shady',
      pid: 7,
      cause: 'memory',
      detail: 'it used too much',
    },
    ...['once', 'always'].map((verdict, index): Loose => ({
      ...ANSWER,
      atMs: NOW - (index + 1) * DAY_MS,
      verdict,
      waitedMs: 4_200 + index * 9_000,
    })),
    { atMs: NOW - DAY_MS, type: 'approval-asked', plugin: 'notes', tool: 'purge', call: 'c' },
  ];
  return {
    plugins: [
      statusOf('weather', {
        name: 'Weather',
        permissions: WEATHER,
        tools: [
          tool('weather', 'weather', { risk: 'medium' }),
          tool('weather', 'forecast', { risk: 'medium' }),
        ],
      }),
      statusOf('notes', {
        name: 'Notes',
        permissions: NOTES,
        tools: [
          tool('notes', 'read'),
          tool('notes', 'search'),
          tool('notes', 'purge', { declaredRisk: 'high', risk: 'high' }),
        ],
      }),
      statusOf('shady', {
        name: 'Instant Translator PRO',
        permissions: SHADY,
        tools: [tool('shady', 'translate', { risk: 'medium' })],
      }),
    ],
    records: recordsOf(records),
    log: { file: '.bulkhead/audit.jsonl', sound: true, notes: [] },
    lock: {
      version: 1,
      plugins: {
        weather: {
          bundles: { tools: 'sha512-7aGVsbG8gd29ybGQgdGhpcyBpcyBhIGhhc2g=' },
          by: 'ada',
          at: '2026-10-02T09:00:00Z',
          hosts: ['api.openweathermap.org'],
        },
        shady: {
          bundles: { tools: 'sha512-other' },
          by: 'ada',
          at: '2026-10-02T09:00:00Z',
          hosts: ['eu.cdn.example.net', 'collect.example.com'],
        },
      },
    },
    nowMs: NOW,
    ...more,
  };
}

export function sampleReport(more: Partial<ReportSources> = {}): Promise<Report> {
  return makeReport(sampleSources(more));
}
