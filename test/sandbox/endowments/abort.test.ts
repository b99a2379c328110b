import { describe, expect, test } from 'vitest';
import { useRealm } from './realm/realm.js';

const realm = useRealm();

describe('AbortController, EventTarget and DOMException', () => {
  test('a controller aborts its signal once, with its reason', async () => {
    expect(
      await realm.value(
        `const c = new AbortController(); const s = c.signal; const seen = []; s.onabort = (e) => seen.push('on' + e.type, e.target === s, e.isTrusted, e.currentTarget === s, e.eventPhase);
       s.addEventListener('abort', { handleEvent(e) { seen.push('object', this.handleEvent !== undefined, e.currentTarget === s) } });
       s.addEventListener('abort', function () { seen.push('once', this === s) }, { once: true });
       const before = [s.aborted, s.reason === undefined]; s.throwIfAborted(); c.abort('why'); c.abort('again');
       let thrown; try { s.throwIfAborted() } catch (e) { thrown = e } return [before, s.aborted, s.reason, thrown, seen, c.signal === s]`,
      ),
    ).toEqual([
      [false, true],
      true,
      'why',
      'why',
      ['onabort', true, true, true, 2, 'object', true, true, 'once', true],
      true,
    ]);
  });

  test('the default reason is an AbortError, and a time-out’s a TimeoutError', async () => {
    expect(
      await realm.value(
        `const s = AbortSignal.abort(); const t = AbortSignal.timeout(1); await new Promise((r) => t.addEventListener('abort', r));
       return [s.reason.name, s.reason.code, s.reason instanceof DOMException, s.reason instanceof Error, t.reason.name, t.reason.code, AbortSignal.abort(null).reason, String(s.reason)]`,
      ),
    ).toEqual([
      'AbortError',
      20,
      true,
      true,
      'TimeoutError',
      23,
      null,
      'AbortError: The operation was aborted',
    ]);
  });

  test('any() follows the first of its sources', async () => {
    expect(
      await realm.value(
        `const a = new AbortController(); const b = new AbortController(); const any = AbortSignal.any([a.signal, b.signal]); let n = 0; any.onabort = () => n++;
       b.abort('b'); a.abort('a'); const done = AbortSignal.any([AbortSignal.abort('x'), a.signal]);
       const thrown = [1, [1], [{}]].map((x) => { try { AbortSignal.any(x) } catch (e) { return e.name } });
       return [any.reason, n, done.reason, AbortSignal.any([]).aborted, thrown]`,
      ),
    ).toEqual(['b', 1, 'x', false, ['TypeError', 'TypeError', 'TypeError']]);
  });

  test('only controllers make signals', async () => {
    expect((await realm.failure('new AbortSignal()')).message).toBe(
      'An AbortSignal comes from an AbortController',
    );
    expect((await realm.failure('new (class extends AbortSignal {})()')).name).toBe('TypeError');
    expect((await realm.failure('Object.create(AbortSignal.prototype).aborted')).name).toBe(
      'TypeError',
    );
  });

  test('the signal of a call is the compartment’s own, and frozen', async () => {
    expect(
      await realm.value(
        `const { signal, abort } = tools.signal(); let n = 0; signal.onabort = () => n++; signal.addEventListener('abort', () => n++);
       const timeout = signal instanceof AbortSignal && signal instanceof EventTarget && Object.isFrozen(signal); abort('took too long'); abort('again');
       return [timeout, signal.aborted, signal.reason.name, signal.reason.message, n, AbortSignal.any([signal]).aborted]`,
      ),
    ).toEqual([true, true, 'AbortError', 'took too long', 2, true]);
  });

  test('an error of a listener is reported, and the other listeners still run', async () => {
    const { value, faults } = await realm.run(
      `const c = new AbortController(); let n = 0; c.signal.addEventListener('abort', () => { throw new Error('listener') }); c.signal.addEventListener('abort', {}); c.signal.addEventListener('abort', () => n++); c.abort(); return n`,
    );
    expect(value).toBe(1);
    expect(faults.map(({ message }) => message)).toEqual([
      'listener',
      'The listener has no handleEvent method',
    ]);
  });

  test('a plugin’s own EventTarget dispatches events as the standard says', async () => {
    expect(
      await realm.value(
        `class Bus extends EventTarget { } const bus = new Bus(); const seen = []; const add = (name, o) => bus.addEventListener('x', (e) => { seen.push(name); if (name === 'stop') e.stopImmediatePropagation(); e.preventDefault() }, o);
       add('a'); add('b', { once: true }); add('p', { passive: true }); const f = () => seen.push('f'); bus.addEventListener('x', f); bus.addEventListener('x', f); bus.addEventListener('x', f, true); bus.removeEventListener('x', f); bus.addEventListener('x', null);
       const c = new AbortController(); add('s', { signal: c.signal }); add('never', { signal: AbortSignal.abort() });
       const e1 = new Event('x', { cancelable: true }); const r1 = bus.dispatchEvent(e1); c.abort(); add('stop'); add('after'); const r2 = bus.dispatchEvent(new Event('x'));
       bus.addEventListener('re', (e) => { try { bus.dispatchEvent(e) } catch (err) { seen.push(err.name) } }); bus.dispatchEvent(new Event('re'));
       return [seen, r1, e1.defaultPrevented, r2, e1.isTrusted, e1.target === bus, e1.currentTarget, e1.eventPhase, e1.composedPath()]`,
      ),
    ).toEqual([
      ['a', 'b', 'p', 'f', 's', 'a', 'p', 'f', 'stop', 'TypeError'],
      false,
      true,
      true,
      false,
      true,
      null,
      0,
      [],
    ]);
  });

  test('a DOMException is an Error with a name and a code', async () => {
    expect(
      await realm.value(
        `const e = new DOMException('m', 'DataCloneError'); const o = new DOMException('m', { name: 'TimeoutError', cause: 1 }); class Mine extends DOMException { }
       return [e.message, e.name, e.code, DOMException.DATA_CLONE_ERR, e.ABORT_ERR, o.name, o.cause, new DOMException().name, new DOMException('a', 'Custom').code, new Mine('q') instanceof DOMException, Object.prototype.toString.call(e), e.stack, Object.keys(e)]`,
      ),
    ).toEqual([
      'm',
      'DataCloneError',
      25,
      25,
      20,
      'TimeoutError',
      1,
      'Error',
      0,
      true,
      '[object DOMException]',
      '',
      [],
    ]);
  });
});
