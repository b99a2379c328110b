import { describe, expect, test } from 'vitest';
import { useRealm } from './realm/realm.js';

const realm = useRealm();

describe('timers', () => {
  test('a timer runs its callback once with its arguments, an interval until it is cleared', async () => {
    expect(
      await realm.value(
        `const seen = []; setTimeout((...args) => seen.push(args), 1, 'a', 2);
       let n = 0; const i = setInterval(() => { if (++n === 3) clearInterval(i) }, 1);
       const stopped = setTimeout(() => seen.push('never'), 1); clearTimeout(stopped);
       await tools.until(() => n === 3 && seen.length > 0); await tools.sleep(10); return [seen, n]`,
      ),
    ).toEqual([[['a', 2]], 3]);
  });

  test('a handle is frozen and does not lead to another timer', async () => {
    expect(
      await realm.value(
        `const t = setTimeout(() => {}, 1000); const keys = []; for (let o = t; o !== null; o = Object.getPrototypeOf(o)) keys.push(...Reflect.ownKeys(o).map(String));
       let thrown; try { t._onTimeout = () => {} } catch (e) { thrown = e.name }
       return [Object.isFrozen(t), Object.isFrozen(Object.getPrototypeOf(t)), t._idlePrev, t._idleNext, t._timerArgs, thrown, keys.filter((k) => k.startsWith('_idle')),
         Object.getPrototypeOf(Object.getPrototypeOf(t)) === Object.prototype, t.constructor === Object]`,
      ),
    ).toEqual([true, true, null, null, null, 'TypeError', [], true, true]);
  });

  test('handles have the methods of Node’s handles', async () => {
    expect(
      await realm.value(
        `let n = 0; const t = setTimeout(() => n++, 5); const same = [t.ref(), t.unref(), t.refresh()].every((x) => x === t);
       const refs = [t.hasRef(), t.ref().hasRef()]; await tools.until(() => n === 1); const once = n; t.refresh(); await tools.until(() => n === 2); const again = n;
       const u = setTimeout(() => n++, 5); const same2 = u.close() === u; u.refresh();
       const v = setTimeout(() => n++, 5); clearTimeout(+v); const w = setTimeout(() => n++, 5); clearTimeout(String(+w));
       await tools.sleep(30); return [same, refs, once, again, same2, n]`,
      ),
    ).toEqual([true, [false, true], 1, 2, true, 2]);
  });

  test('foreign and forged handles clear nothing', async () => {
    expect(
      await realm.value(
        `let n = 0; const t = setTimeout(() => n++, 5); const methods = Object.getPrototypeOf(t);
       const forged = [Object.create(methods), { ...t }, Object.create(t), new Proxy(t, {}), null, undefined, {}, -1, 1e9, NaN, 'x', Symbol.iterator, { [Symbol.toPrimitive]: () => +t }];
       for (const f of forged) { clearTimeout(f); clearInterval(f) }
       const thrown = [Object.create(methods), {}, Object.create(t), null].map((f) => { try { methods.close.call(f) } catch (e) { return e.name } });
       await tools.until(() => n === 1); return [n, thrown]`,
      ),
    ).toEqual([1, ['TypeError', 'TypeError', 'TypeError', 'TypeError']]);
  });

  test('text is never a callback', async () => {
    for (const call of [
      'setTimeout("1", 1)',
      'setInterval("1", 1)',
      'queueMicrotask("1")',
      'setTimeout()',
      'setTimeout({ toString: () => "1" })',
    ]) {
      expect((await realm.failure(call)).message).toBe('A timer takes a function, and never text');
    }
  });

  test('timers over the cap are refused until others end', async () => {
    expect(
      await realm.value(
        `const made = []; let error; try { for (;;) made.push(setTimeout(() => {}, 1000)) } catch (e) { error = [e.name, e.message] }
       clearTimeout(made[0]); let ended = false; setTimeout(() => { ended = true }, 1); await tools.until(() => ended); AbortSignal.timeout(1000);
       let full; try { AbortSignal.timeout(1000) } catch (e) { full = e.name }
       for (const t of made) clearTimeout(t); return [made.length, error, full]`,
      ),
    ).toEqual([20, ['RangeError', 'demo has 20 timers, and may have no more'], 'RangeError']);
  });

  test('an invalid delay counts as 1 ms', async () => {
    expect(
      await realm.value(
        `const order = []; for (const d of [Infinity, -1, NaN, undefined, 2 ** 31, 'x', null]) setTimeout(() => order.push(String(d)), d);
       await tools.until(() => order.length === 7); return order.length`,
      ),
    ).toBe(7);
  });

  test('an error of a callback is reported, and the interval continues', async () => {
    const { value, faults } = await realm.run(
      `let n = 0; setTimeout(() => { throw new Error('timer') }, 1); queueMicrotask(() => { throw 'micro' });
     const i = setInterval(() => { if (++n === 2) clearInterval(i); throw new RangeError('tick') }, 1);
     await tools.until(() => n === 2); return n`,
    );
    expect(value).toBe(2);
    expect(faults.map(({ name, message }) => `${name}: ${message}`).toSorted()).toEqual([
      'Error: micro',
      'Error: timer',
      'RangeError: tick',
      'RangeError: tick',
    ]);
  });

  test('a timer’s callback gets no platform object as this or as an argument', async () => {
    const report = await realm.value(
      `const seen = []; function note() { seen.push(this, [...arguments], (() => { try { return note.caller } catch { } })()) }
     setTimeout(note, 1); queueMicrotask(note); await tools.until(() => seen.length > 4); return seen`,
      { inspect: 'objects' },
    );
    expect(report).toMatchObject({ unfrozen: [], platform: [] });
  });

  test('an interval can be refreshed, cleared and started from its own callback', async () => {
    expect(
      await realm.value(
        `let n = 0; const i = setInterval(() => { n++; if (n === 1) i.refresh(); if (n === 2) { clearInterval(i); i.refresh() } }, 2);
       await tools.until(() => n === 2); await tools.sleep(10); return n`,
      ),
    ).toBe(2);
  });
});
