import { describe, expect, it } from 'vitest';
import type { BulkheadEvent } from '../../src/index.js';
import { makePlugin, runTool, startEngine } from './plugin-on-disk.js';
import { startVellum } from './vellum-on-disk.js';

const everything = { time: true, random: true };

describe('the local time zone', () => {
  const look = `async () => {
    const day = new Date(Date.UTC(2020, 0, 1, 12));
    return [day.getHours(), day.toLocaleTimeString('en-US', { timeStyle: 'short' }).replace(/\\s/g, ' '), typeof Intl === 'undefined' ? 'no Intl' : Intl.DateTimeFormat().resolvedOptions().timeZone];
  }`;

  it('is the engine’s option for a plugin with time', async () => {
    const options = { timeZone: 'America/New_York' };
    const { value } = await runTool(look, { permissions: { time: true } }, options);
    expect(value).toEqual([7, '7:00 AM', 'America/New_York']);
  });

  it('is the host’s by default', async () => {
    const { value } = await runTool(look, { permissions: { time: true } });
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    expect(value).toEqual([expect.any(Number), expect.any(String), timeZone]);
  });

  it('is UTC for a plugin without time', async () => {
    const { value } = await runTool(look, {}, { timeZone: 'America/New_York' });
    expect(value).toEqual([12, '12:00 PM', 'no Intl']);
  });

  it('is UTC for the plugins of a trust group', async () => {
    const directories = ['a', 'b'].map((id) =>
      makePlugin({ id, permissions: id === 'a' ? { time: true } : {}, tools: { look } }),
    );
    const engine = await startEngine(directories, {
      timeZone: 'America/New_York',
      trustGroups: { ours: ['a', 'b'] },
    });
    for (const [id, zone] of [
      ['a', 'UTC'],
      ['b', 'no Intl'],
      ['a', 'UTC'],
    ]) {
      expect((await engine.call(`${id}:look`, {})).value).toEqual([12, '12:00 PM', zone]);
    }
  });

  it('follows a revocation and a grant', async () => {
    const engine = await startEngine(
      [makePlugin({ permissions: { time: true }, tools: { look } })],
      { timeZone: 'Asia/Tokyo' },
    );
    const zone = async (): Promise<unknown> => {
      const { value } = await engine.call('look', {});
      return Array.isArray(value) ? value[0] : value;
    };
    expect(await zone()).toBe(21);
    await engine.revoke('sample', 'time');
    expect(await zone()).toBe(12);
    await engine.grant('sample', 'time');
    expect(await zone()).toBe(21);
  });

  it('is refused if no zone has that name', async () => {
    await expect(startEngine([], { timeZone: 'Mars/Base' })).rejects.toThrow(
      'The option timeZone takes the IANA name of a time zone, e.g. Europe/Berlin.',
    );
  });
});

describe('the clock of dependencies', () => {
  const files = {
    'node_modules/measures/package.json': '{"name":"measures","main":"index.js"}',
    'node_modules/measures/index.js': `
      const started = Date.now(); const nativeNow = Date.now;
      const hooks = require('node:perf_hooks'); const { performance: imported } = require('perf_hooks'); const { hrtime } = require('process');
      exports.read = () => [started, nativeNow(), +new Date(), performance.now(), Math.random() < 1, globalThis.Date.now(),
        process.hrtime()[0], String(process.hrtime.bigint()), hooks.performance.now(), imported.now(), hrtime()[0]];`,
  };
  const source = `import { read } from 'measures';
    export const tools = [{ id: 'run', name: 'n', description: 'd', execute: async () => {
      read(); const own = []; for (const use of [() => Date.now(), () => Math.random(), () => process.hrtime(), () => performance.now()]) try { use(); own.push('ran') } catch (e) { own.push(e.code) }
      return [read(), own] } }]`;

  it('is fixed without the permissions, and one denial of each is reported', async () => {
    const events: BulkheadEvent[] = [];
    const engine = await startEngine([makePlugin({ source, files })], {
      onEvent: (event) => events.push(event),
    });
    const { value } = await engine.call('run', {});
    expect(value).toEqual([
      [0, 0, 0, 0, true, 0, 0, '0', 0, 0, 0],
      ['TIME_DENIED', 'RANDOM_DENIED', 'TIME_DENIED', 'TIME_DENIED'],
    ]);
    const denied = events.flatMap((event) =>
      event.type === 'capability-denied' ? [`${event.permission} ${event.wanted}`] : [],
    );
    expect(denied.toSorted()).toEqual([
      'random Math.random',
      'random Math.random, in a dependency',
      'time Date.now',
      'time Date.now, in a dependency',
      'time performance',
      'time performance',
    ]);
  });

  it('is real with the permissions', async () => {
    const engine = await startEngine([makePlugin({ source, files, permissions: everything })]);
    const { value } = await engine.call('run', {});
    const [read, own] = Array.isArray(value) ? value : [];
    const times = Array.isArray(read) ? read.map(Number) : [];
    expect([1, 5].map((at) => (times[at] ?? 0) > 1e12)).toEqual([true, true]);
    expect([3, 7, 8, 9].map((at) => (times[at] ?? 0) > 0)).toEqual([true, true, true, true]);
    expect(own).toEqual(['ran', 'ran', 'ran', 'ran']);
  });
});

describe('Intl of dependencies', () => {
  const files = {
    'node_modules/texts/package.json': '{"name":"texts","version":"1.0.0","main":"index.js"}',
    'node_modules/texts/index.js': `
      const segmenter = new Intl.Segmenter();
      exports.look = () => [[...segmenter.segment('a👨‍👩‍👧b')].length, new globalThis.Intl.NumberFormat('de').format(1234.5), 'x'.localeCompare('y', 'de'),
        new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', dateStyle: 'short' }).format(), new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', dateStyle: 'short' }).format(0)];
      exports.spoil = () => { for (const spoil of [() => { Intl.NumberFormat = undefined }, () => { Intl.Segmenter.prototype.segment = () => [] }]) try { spoil() } catch {} };`,
  };
  const source = `import { look, spoil } from 'texts';
    export const tools = [{ id: 'run', name: 'n', description: 'd', execute: async () => { spoil(); return [look(), typeof Intl] } }]`;
  const run = async (
    permissions: object,
    packages: 'separate' | 'together',
    onEvent?: (event: BulkheadEvent) => void,
  ): Promise<unknown> => {
    const engine = await startEngine([makePlugin({ source, files, permissions })], {
      packages: { sample: packages },
      ...(onEvent === undefined ? {} : { onEvent }),
    });
    return (await engine.call('run', {})).value;
  };

  it.each(['separate', 'together'] as const)(
    'is there without the permission and reads the fixed clock, in packages that are %s',
    async (packages) => {
      const denied: string[] = [];
      const value = await run({}, packages, (event) => {
        if (event.type === 'capability-denied') denied.push(event.wanted);
      });
      expect(value).toEqual([[3, '1.234,5', -1, '1/1/70', '1/1/70'], 'undefined']);
      expect(denied).toEqual(['Intl.DateTimeFormat format, in a dependency']);
    },
  );

  it('reads the clock with the permission', async () => {
    const value = await run({ time: true }, 'together');
    const year = String(new Date().getUTCFullYear() % 100);
    expect(value).toEqual([
      [3, '1.234,5', -1, expect.stringContaining(`/${year}`), '1/1/70'],
      'object',
    ]);
  });
});

describe('performance and process.hrtime of a plugin', () => {
  it('count from the start of the guest, with parts of a millisecond', async () => {
    const { value } = await runTool(
      `async () => {
        const reads = Array.from({ length: 200 }, () => performance.now());
        const [seconds, nanoseconds] = process.hrtime();
        return [reads.every((one, at) => at === 0 || one >= reads[at - 1]), reads.some((one) => one % 1 !== 0), reads[0] < 600_000,
          Math.abs(seconds * 1000 + nanoseconds / 1e6 - performance.now()) < 1000, Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 1000] }`,
      { permissions: { time: true } },
    );
    expect(value).toEqual([true, true, true, true, true]);
  });
});

describe('node:worker_threads', () => {
  it('says that this is the main thread, has the compartment’s channels, and starts no thread', async () => {
    const { value } = await runTool(
      `async () => {
        const { isMainThread, parentPort, MessageChannel, Worker } = await import('node:worker_threads');
        const { port1, port2 } = new MessageChannel();
        const heard = new Promise((resolve) => { port2.onmessage = ({ data }) => resolve(data) });
        port1.postMessage({ a: 1 });
        const { port1: from, port2: to } = new MessageChannel();
        const values = []; const never = () => values.push('never');
        to.on('message', (value) => values.push(value)).once('message', (value) => values.push('once ' + value)).on('message', never).off('message', never);
        from.postMessage('first'); from.postMessage('second');
        await new Promise((resolve) => setTimeout(resolve, 50));
        let refused; try { new Worker('x') } catch (error) { refused = error.code }
        return [isMainThread, parentPort, await heard, values, refused] }`,
    );
    expect(value).toEqual([
      true,
      null,
      { a: 1 },
      ['first', 'once first', 'second'],
      'BUILTIN_DENIED',
    ]);
  });
});

describe('denials that a plugin catches', () => {
  it('are listed in the result of the call, with their place and count', async () => {
    const result = await runTool(
      `async () => {
        const { spawn } = await import('node:child_process'); const { createServer } = await import('node:http');
        for (let times = 0; times < 3; times += 1) try { await fetch('https://a.test/') } catch {}
        try { Date.now() } catch {}
        try { createServer() } catch {}
        return 'done' }`,
    );
    expect(result.isError).toBe(false);
    expect(result.denied).toEqual([
      expect.objectContaining({ permission: 'network', wanted: 'fetch https://a.test/', count: 3 }),
      expect.objectContaining({ permission: 'time', wanted: 'Date.now', count: 1 }),
      expect.objectContaining({ permission: 'network', wanted: 'http.createServer', count: 1 }),
    ]);
  });

  it('are not in the result of a call without one', async () => {
    expect(await runTool(`async () => 1`)).not.toHaveProperty('denied');
  });
});

describe('a program that a plugin runs', () => {
  const run = `async () => {
    const cp = await import('node:child_process'); const { promisify } = await import('node:util');
    const seen = [];
    const child = cp.spawn('afplay', ['x.wav']); seen.push(child.pid === undefined, typeof child.stdout.on);
    await new Promise((resolve) => { child.on('error', (e) => seen.push(e.code, e.syscall)); child.on('close', (code) => { seen.push(code); resolve() }) });
    seen.push(await new Promise((resolve) => cp.execFile('git', ['log'], (e, out) => resolve([e.code, e.cmd, out]))));
    seen.push(await promisify(cp.exec)('ls').catch((e) => [e.code, e.stdout]));
    seen.push(cp.spawnSync('ls').error.code, (() => { try { cp.execSync('ls') } catch (e) { return e.code } })());
    return seen }`;

  it('is an error event with EACCES, and a denial', async () => {
    const { value, denied } = await runTool(run);
    expect(value).toEqual([
      true,
      'function',
      'EACCES',
      'spawn afplay',
      -13,
      ['EACCES', 'git log', ''],
      ['EACCES', ''],
      'EACCES',
      'EACCES',
    ]);
    expect(denied?.map(({ permission, wanted }) => `${permission} ${wanted}`)).toEqual([
      'builtin child_process.spawn',
      'builtin child_process.execFile',
      'builtin child_process.exec',
      'builtin child_process.spawnSync',
      'builtin child_process.execSync',
    ]);
  });
});

describe('cryptographic randomness', () => {
  const draw = `const { randomUUID, randomBytes } = await import('node:crypto');
    const outcomes = []; for (const use of [() => crypto.randomUUID(), () => randomUUID(), () => randomBytes(4).length]) try { outcomes.push(typeof use()) } catch (e) { outcomes.push(e.code) }
    return outcomes;`;

  it('is not available to Pandora’s plugins', async () => {
    const { value } = await runTool(`async () => { ${draw} }`, { permissions: everything });
    expect(value).toEqual(['BUILTIN_DENIED', 'BUILTIN_DENIED', 'BUILTIN_DENIED']);
  });

  it('comes with random for Vellum’s', async () => {
    const spec = {
      tools: {
        draw: `export default { name: 'draw', description: 'd', input_schema: { type: 'object' }, execute: async () => { ${draw} } }`,
      },
    };
    const engine = await startVellum(spec, { grant: () => ({ random: true }) });
    const { content } = await engine.call('sample:draw', {});
    expect(JSON.stringify(content)).toContain('string');
  });
});
