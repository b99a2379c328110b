import { describe, expect, test } from 'vitest';
import { useRealm } from './realm/realm.js';

const realm = useRealm();
const granted = { grant: { time: true } };

describe('Date and Intl', () => {
  test('with time granted, Date and Intl read the clock', async () => {
    const before = Date.now();
    const told = await realm.value(
      `return [Date.now(), +new Date(), Date.parse(Date()), performance.timeOrigin + performance.now(),
      Date.parse(new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeZone: 'UTC' }).format() + ' UTC')]`,
      granted,
    );
    const after = Date.now();
    expect(told).toEqual([
      expect.any(Number),
      expect.any(Number),
      expect.any(Number),
      expect.any(Number),
      expect.any(Number),
    ]);
    const [now = 0, date = 0, text = 0, origin = 0, day = 0] = Array.isArray(told) ? told : [];
    for (const time of [now, date]) {
      expect(time).toBeGreaterThanOrEqual(before);
      expect(time).toBeLessThanOrEqual(after);
    }
    expect(Math.abs(text - now)).toBeLessThanOrEqual(1000);
    // The two clocks differ by some milliseconds.
    expect(origin).toBeGreaterThanOrEqual(before - 50);
    expect(origin).toBeLessThanOrEqual(after + 50);
    expect(day).toBe(Math.floor(now / 86_400_000) * 86_400_000);
  });

  test.each([
    'Date.now()',
    'new Date()',
    'Date()',
    'new (class extends Date {})()',
    'Reflect.construct(Date, [])',
  ])('without time, %s is denied with the grant and the edit that allow it', async (code) => {
    const failure = await realm.failure(code);
    expect(failure.code).toBe('TIME_DENIED');
    expect(failure.message).toMatch(
      /^demo may not read the time \((Date\.now|new Date\(\)|Date\(\))\)\. To allow this, grant it \(--allow time, or "time": true in the option "grant"\) if the manifest declares it\. If not, first add "time": true to "permissions" in pandora\.manifest\.json\.$/,
    );
  });

  test('without time, Intl and performance do not exist, and using Intl is denied', async () => {
    expect(
      await realm.value('return [typeof Intl, typeof performance, "Intl" in globalThis]'),
    ).toEqual(['undefined', 'undefined', false]);
    expect((await realm.failure('Intl()')).code).toBe('TIME_DENIED');
  });

  test('locale methods honour locale and options, with and without time', async () => {
    const code = `const day = new Date(Date.UTC(2020, 1, 3, 9));
    return [day.toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit' }).replace(/\\s/g, ' '),
      day.toLocaleDateString('de-DE', { dateStyle: 'long' }), day.toLocaleString('en-GB', { timeZone: 'Asia/Tokyo' }),
      (1234.5).toLocaleString('de-DE'), (12345678901234567890n).toLocaleString('en-US'), 'ä'.localeCompare('z', 'de'), 'ä'.localeCompare('z', 'sv'),
      [1.5, new Date(0)].toLocaleString('de-DE', { timeZone: 'UTC' })]`;
    const expected = [
      '9:00 AM',
      '3. Februar 2020',
      '03/02/2020, 18:00:00',
      '1.234,5',
      '12,345,678,901,234,567,890',
      -1,
      1,
      '1,5,1.1.1970, 00:00:00',
    ];
    expect(await realm.value(code)).toEqual(expected);
    expect(await realm.value(code, granted)).toEqual(expected);
  });

  test('dates from their parts need no clock and work in both cases', async () => {
    const code = `class Day extends Date { noon() { return this.setUTCHours(12) } }
    return [new Date(0).toISOString(), new Date('2020-02-03').getTime(), new Date(2020, 1, 3).getTime(), Date.UTC(2020, 1), Date.parse('2020-01-01'),
      new Date(5) instanceof Date, new Day(0).noon(), new Day(0) instanceof Day, new Date(new Date(7)).getTime(), String(new Date(undefined)),
      Date.name, Date.length, new Date(0).constructor.prototype === Date.prototype, structuredClone(new Date(9)).getTime(), new Date(0).toLocaleDateString()]`;
    const expected = [
      '1970-01-01T00:00:00.000Z',
      1580688000000,
      1580688000000,
      1580515200000,
      1577836800000,
      true,
      43200000,
      true,
      7,
      'Invalid Date',
      'Date',
      7,
      true,
      9,
      '1/1/1970',
    ];
    expect(await realm.value(code)).toEqual(expected);
    expect(await realm.value(code, granted)).toEqual(expected);
  });

  test('no date object leads to a clock', async () => {
    for (const spec of [{}, granted]) {
      const clocks = await realm.value(
        `const found = []; const hold = new Date(0).constructor;
       for (const read of [() => hold.now(), () => +new hold(), () => hold(), () => Date.prototype.constructor.now()]) {
         try { if (Number.isFinite(Number(read()))) found.push(String(read)) } catch { }
       }
       return found`,
        spec,
      );
      expect(clocks).toEqual([]);
    }
    const failure = await realm.failure('new Date(0).constructor.now()');
    expect(failure.code).toBe('TIME_DENIED');
  });

  test('Date cannot be replaced or changed', async () => {
    expect(
      await realm.value(
        `const tries = [() => { Date.now = () => 1 }, () => { Date.prototype.getTime = () => 1 }, () => { globalThis.Date = 1 }, () => { Intl.DateTimeFormat.prototype.format = 1 }, () => { Intl.x = 1 }];
       return tries.map((f) => { try { f(); return 'changed' } catch (e) { return e.name } })`,
        granted,
      ),
    ).toEqual(['TypeError', 'TypeError', 'TypeError', 'TypeError', 'TypeError']);
  });

  test('Intl formats as the platform does', async () => {
    expect(
      await realm.value(
        `const f = new Intl.DateTimeFormat('de-DE', { timeZone: 'Europe/Berlin', dateStyle: 'short', timeStyle: 'short' });
       const { format } = f;
       return [format(0), f.format(new Date(0)), f.formatToParts(0)[0].value, f.formatRange(0, 86400000).replace(/\\s/g, ' '), f.resolvedOptions().timeZone,
         Intl.DateTimeFormat().resolvedOptions().timeZone, f instanceof Intl.DateTimeFormat, Object.prototype.toString.call(f),
         Intl.DateTimeFormat.supportedLocalesOf('de'), new Intl.NumberFormat('de').format(1234.5), [...new Intl.Segmenter('en', { granularity: 'word' }).segment('a b')].length,
         new (class extends Intl.DateTimeFormat { })('en') instanceof Intl.DateTimeFormat]`,
        granted,
      ),
    ).toEqual([
      '01.01.70, 01:00',
      '01.01.70, 01:00',
      '01',
      '01.01.70, 01:00 – 02.01.70, 01:00',
      'Europe/Berlin',
      'UTC',
      true,
      '[object Intl.DateTimeFormat]',
      ['de'],
      '1.234,5',
      3,
      true,
    ]);
  });

  test('after a revocation no stored reference reads the clock', async () => {
    const refused = await realm.value(
      `const { now } = Date; const { format } = new Intl.DateTimeFormat(); const K = Date; const f = new Intl.DateTimeFormat(); const p = performance.now;
     tools.revoke('time');
     return [now, () => new K(), K, format, () => f.formatToParts(), p].map((read) => { try { return read() } catch (e) { return e.code } })`,
      granted,
    );
    expect(refused).toEqual(Array.from({ length: 6 }, () => 'PERMISSION_REVOKED'));
  });
});
