import { describe, expect, it } from 'vitest';
import { makePiece } from '../../sandbox/wire/co-residents.js';
import type { BulkheadEvent } from '../../src/events.js';
import { startSharedGuest } from '../../src/guests/shared-guest.js';
import { makePlugin, startEngine } from '../engine/plugin-on-disk.js';

const rich = {
  id: 'rich',
  permissions: { env: ['TOKEN'], network: ['api.example.com'], time: true, random: true },
  tools: {
    keep: `async () => {
      globalThis.token = process.env.TOKEN;
      globalThis.get = () => fetch('https://api.example.com/');
      return typeof fetch;
    }`,
  },
};
const poor = {
  id: 'poor',
  permissions: {},
  tools: {
    steal: `async (_input, context) => {
      const found = [];
      for (const name of ['token', 'get', 'process', 'fetch', 'performance', 'Float64Array']) {
        try { if (globalThis[name] !== undefined && name !== 'process') found.push(name); } catch {}
      }
      try { found.push(String(Date.now())); } catch {}
      try { found.push(String(Math.random())); } catch {}
      try { found.push(String(crypto.getRandomValues(new Uint8Array(1)))); } catch {}
      try { found.push(crypto.randomUUID()); } catch {}
      found.push(...Object.keys(context.env));
      const seen = new Set();
      const walk = (value, depth) => {
        if ((typeof value !== 'object' && typeof value !== 'function') || value === null || depth > 6 || seen.has(value)) return;
        seen.add(value);
        for (const key of Reflect.ownKeys(value)) {
          if (key === 'token' || key === 'get' && depth === 0) found.push(String(key));
          const property = Reflect.getOwnPropertyDescriptor(value, key);
          if (property && 'value' in property) walk(property.value, depth + 1);
        }
        walk(Reflect.getPrototypeOf(value), depth + 1);
      };
      walk(globalThis, 0);
      return found;
    }`,
    mark: `async () => {
      const marked = [];
      for (const [name, it] of Object.entries({ URL, Headers: globalThis.Headers, AbortSignal, TextEncoder, setTimeout, console, Map, Promise })) {
        if (it === undefined) continue;
        for (const target of [it, it.prototype]) {
          try { target.mark = 1; if (target.mark === 1) marked.push(name); } catch {}
        }
      }
      return marked;
    }`,
    look: `async () => ['mark' in URL, 'mark' in AbortSignal.prototype, 'mark' in Map.prototype, 'mark' in console]`,
  },
};

describe('a plugin that shares its process with a richer one', () => {
  it('finds nothing of what the other was granted, nor of what it left', async () => {
    const engine = await startEngine([makePlugin(rich), makePlugin(poor)], {
      env: { TOKEN: 'secret' },
      trustGroups: { ours: ['rich', 'poor'] },
    });
    expect((await engine.call('rich:keep', {})).value).toBe('function');
    expect((await engine.call('poor:steal', {})).value).toEqual([]);
  });

  it('has nothing on its record that the other plugin did', async () => {
    const failing = {
      ...poor,
      id: 'failing',
      tools: {
        fail: `async () => void Promise.reject(new ReferenceError('fetch is not defined'))`,
      },
    };
    const told: BulkheadEvent[] = [];
    const engine = await startEngine([makePlugin(failing), makePlugin(poor)], {
      trustGroups: { ours: ['failing', 'poor'] },
      onEvent: (event) => told.push(event),
    });
    await engine.call('poor:look', {});
    await engine.call('failing:fail', {});
    await expect
      .poll(() => told.flatMap((event) => (event.type === 'log' ? [event.plugin] : [])))
      .toContain('poor');
    expect(told.filter(({ type }) => type === 'capability-denied')).toEqual([]);
  });

  it('leaves no mark on what the other has', async () => {
    const other = { ...poor, id: 'other' };
    const engine = await startEngine([makePlugin(poor), makePlugin(other)], {
      trustGroups: { ours: ['poor', 'other'] },
    });
    expect((await engine.call('poor:mark', {})).isError).toBe(false);
    expect((await engine.call('other:look', {})).value).toEqual([false, false, false, false]);
  });
});

describe('a co-resident that is unloaded before it is ready', () => {
  it('does not end the process that it would have shared', async () => {
    const script = 'setInterval(() => {}, 1000)';
    const startTimeoutMs = 50;
    const shared = startSharedGuest(
      { file: process.execPath, args: ['-e', script], env: {} },
      startTimeoutMs,
    );
    const tenant = shared.open();
    tenant.kill({ cause: 'closed', detail: 'not needed' });
    await expect(tenant.ready).rejects.toMatchObject({ code: 'GUEST_START_FAILED' });
    // Timers of this process are called in order, however busy the machine is.
    await new Promise((resolve) => setTimeout(resolve, 2 * startTimeoutMs));
    expect(shared.handle.alive).toBe(true);
    shared.handle.kill({ cause: 'closed', detail: 'the test is over' });
    await shared.handle.ended;
  });
});

describe('a shared guest that breaks the protocol', () => {
  // A guest's stand-in: it says these bytes to its host, and waits.
  const saying = (bytes: Uint8Array): ReturnType<typeof startSharedGuest> => {
    const script = `require('fs').writeSync(3, Buffer.from('${Buffer.from(bytes).toString('hex')}', 'hex')); setInterval(() => {}, 1000)`;
    return startSharedGuest({ file: process.execPath, args: ['-e', script], env: {} }, 10_000);
  };
  const bytes = (length: number): Uint8Array => new Uint8Array(length);

  it.each<[string, Uint8Array]>([
    ['for a tenant that it does not have', makePiece(2, bytes(5), bytes)],
    ['for no receiver', makePiece(0, bytes(5), bytes)],
    ['for its host', makePiece(1, bytes(0), bytes)],
    ['frames that are none', makePiece(1, bytes(64).fill(0xff), bytes)],
  ])('is ended for speaking %s', async (_, said) => {
    const shared = saying(said);
    const { ended } = shared.open();
    expect((await shared.handle.ended).cause).toBe('protocol');
    expect((await ended).cause).toBe('protocol');
  });
});
