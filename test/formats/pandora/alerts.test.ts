import { describe, expect, test } from 'vitest';
import { readAlerts } from '../../../src/formats/pandora/contributions.js';

const read = (value: unknown): { alerts: readonly unknown[]; problems: string[] } => {
  const problems: string[] = [];
  const alerts = readAlerts(value, (problem) => problems.push(problem));
  return { alerts, problems };
};

describe('Pandora alerts', () => {
  test('are read unchanged', () => {
    const alerts = [
      { level: 'info', message: 'Using MyService' },
      { level: 'warning', message: 'No key' },
    ];
    expect(read(alerts)).toEqual({ alerts, problems: [] });
  });

  test.each([undefined, null])('do not include %s', (value) => {
    expect(read(value)).toEqual({ alerts: [], problems: [] });
  });

  test('are dropped and reported if they are not valid', () => {
    expect(read('x')).toEqual({ alerts: [], problems: ['alerts: must be a list'] });
    expect(read([{ level: 'info' }, 'x', { level: 'info', message: 'ok' }])).toEqual({
      alerts: [{ level: 'info', message: 'ok' }],
      problems: [
        'alerts[0]: must have a level and a message',
        'alerts[1]: must have a level and a message',
      ],
    });
  });

  test('of an unknown level count as warnings', () => {
    const { alerts, problems } = read([{ level: 'debug', message: 'm' }]);
    expect(alerts).toEqual([{ level: 'warning', message: 'm' }]);
    expect(problems).toHaveLength(1);
  });

  test('are limited in number and length', () => {
    const { alerts } = read(
      Array.from({ length: 1000 }, () => ({ level: 'info', message: 'x'.repeat(10_000) })),
    );
    expect(alerts).toHaveLength(20);
    expect(JSON.stringify(alerts).length).toBeLessThan(20 * 600);
  });
});
