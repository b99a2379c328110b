import { expect, test } from 'vitest';
import { readAlerts } from '../../../src/formats/pandora/alerts.js';

const read = (value: unknown): { alerts: readonly unknown[]; problems: string[] } => {
  const problems: string[] = [];
  const alerts = readAlerts(value, (problem) => problems.push(problem));
  return { alerts, problems };
};

test('alerts are read as they are', () => {
  const alerts = [
    { level: 'info', message: 'Using MyService' },
    { level: 'warning', message: 'No key' },
  ];
  expect(read(alerts)).toEqual({ alerts, problems: [] });
});

test.each([undefined, null])('%s is no alert', (value) => {
  expect(read(value)).toEqual({ alerts: [], problems: [] });
});

test('what is no alert is left out and said', () => {
  expect(read('x')).toEqual({ alerts: [], problems: ['alerts: must be a list'] });
  expect(read([{ level: 'info' }, 'x', { level: 'info', message: 'ok' }])).toEqual({
    alerts: [{ level: 'info', message: 'ok' }],
    problems: [
      'alerts[0]: must have a level and a message',
      'alerts[1]: must have a level and a message',
    ],
  });
});

test('a level that nobody knows counts as a warning', () => {
  const { alerts, problems } = read([{ level: 'debug', message: 'm' }]);
  expect(alerts).toEqual([{ level: 'warning', message: 'm' }]);
  expect(problems).toHaveLength(1);
});

test('alerts are few and short', () => {
  const { alerts } = read(
    Array.from({ length: 1000 }, () => ({ level: 'info', message: 'x'.repeat(10_000) })),
  );
  expect(alerts).toHaveLength(20);
  expect(JSON.stringify(alerts).length).toBeLessThan(20 * 600);
});
