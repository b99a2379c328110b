import type { EventEmitter as NodeEmitter } from 'node:events';
import { inherits } from 'node:util';
import { describe, expect, it } from 'vitest';
import { loadBuiltin } from './load.js';

type Events = typeof NodeEmitter & { readonly EventEmitter: typeof NodeEmitter };

const { EventEmitter, errorMonitor, getEventListeners, getMaxListeners, once, setMaxListeners } =
  await loadBuiltin<Events>('events');

describe('EventEmitter', () => {
  it('calls listeners in order, with the emitter as this', () => {
    const emitter = new EventEmitter();
    const calls: unknown[] = [];
    emitter.on('a', (x) => calls.push(['first', x]));
    emitter.prependListener('a', (x) => calls.push(['before', x]));
    emitter.once('a', function (this: unknown) {
      calls.push(this === emitter);
    });
    expect([emitter.emit('a', 1), emitter.emit('a', 2), emitter.emit('b')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(calls).toEqual([['before', 1], ['first', 1], true, ['before', 2], ['first', 2]]);
    expect(emitter.listenerCount('a')).toBe(2);
    expect(emitter.eventNames()).toEqual(['a']);
  });

  it('has a limit of listeners, and so have abort signals', () => {
    const [emitter, { signal }] = [new EventEmitter(), new AbortController()];
    expect([getMaxListeners(emitter), getMaxListeners(new EventTarget())]).toEqual([10, 10]);
    setMaxListeners(20, emitter, signal);
    expect([getMaxListeners(emitter), emitter.getMaxListeners()]).toEqual([20, 20]);
    expect(getMaxListeners(signal)).toBe(20);
  });

  it('throws the error of an error event without listeners', () => {
    const emitter = new EventEmitter();
    expect(() => emitter.emit('error', new Error('lost'))).toThrow('lost');
    expect(() => emitter.emit('error', 'text')).toThrow('Unhandled error. (text)');
    emitter.on('error', () => undefined);
    expect(emitter.emit('error', new Error('found'))).toBe(true);
  });

  it('shows an error to monitors and then to listeners', () => {
    const emitter = new EventEmitter();
    const calls: string[] = [];
    emitter.on(errorMonitor, ({ message }: Error) => calls.push(`monitor ${message}`));
    expect(() => emitter.emit('error', new Error('lost'))).toThrow('lost');
    emitter.on('error', ({ message }: Error) => calls.push(message));
    emitter.emit('error', new Error('found'));
    expect(calls).toEqual(['monitor lost', 'monitor found', 'found']);
    expect(getEventListeners(emitter, 'error')).toHaveLength(1);
  });

  it('removes a listener, also while it is being called', () => {
    const emitter = new EventEmitter();
    const calls: string[] = [];
    const second = (): void => void calls.push('second');
    emitter.on('a', () => {
      calls.push('first');
      emitter.off('a', second);
    });
    emitter.on('a', second);
    emitter.emit('a');
    emitter.emit('a');
    // The round that is under way is finished with those who were there when it began.
    expect(calls).toEqual(['first', 'second', 'first']);
    expect(emitter.removeAllListeners().eventNames()).toEqual([]);
  });

  it('emits newListener and removeListener', () => {
    const emitter = new EventEmitter();
    const seen: unknown[] = [];
    emitter.on('newListener', (name) => seen.push(['new', name]));
    emitter.on('removeListener', (name) => seen.push(['gone', name]));
    const listener = (): void => undefined;
    emitter.on('a', listener).off('a', listener);
    expect(seen).toEqual([
      ['new', 'removeListener'],
      ['new', 'a'],
      ['gone', 'a'],
    ]);
  });

  it('can be inherited from as a class and as a function', () => {
    class Modern extends EventEmitter {}
    function Old(this: object): void {
      Reflect.apply(EventEmitter as never, this, []);
    }
    inherits(Old, EventEmitter);
    for (const emitter of [new Modern(), new (Old as never as typeof EventEmitter)()]) {
      let got: unknown;
      emitter.on('a', (x) => (got = x));
      emitter.emit('a', 5);
      expect(got).toBe(5);
      expect(emitter).toBeInstanceOf(EventEmitter);
    }
  });

  it('has separate listeners for each emitter', () => {
    const [one, two] = [new EventEmitter(), new EventEmitter()];
    one.on('a', () => undefined);
    expect(two.listenerCount('a')).toBe(0);
  });

  it('waits for an event by promise', async () => {
    const emitter = new EventEmitter();
    const got = once(emitter, 'ready');
    emitter.emit('ready', 1, 2);
    expect(await got).toEqual([1, 2]);
    const failed = once(emitter, 'ready');
    emitter.emit('error', new Error('no'));
    await expect(failed).rejects.toThrow('no');
  });
});
