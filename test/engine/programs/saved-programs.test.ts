import {
  existsSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BulkheadEvent, Engine, EngineOptions } from '../../../src/index.js';
import { readFinishedProgram } from '../../../src/engine/programs/read-finished.js';
import { openFinishedPrograms } from '../../../src/engine/programs/finished-programs.js';
import { PROGRAM_LIMITS } from '../../../src/engine/programs/program.js';
import type { ProgramRunner } from '../../../src/engine/programs/programs.js';
import { makeProgramPlacer } from '../../../src/engine/programs/saved-programs.js';
import type { RunnableTool } from '../../../src/engine/plugins/installed.js';
import type { Plugin } from '../../../src/plugin/plugin.js';
import { filesOfSavedProgram, schemaOf } from '../../../src/engine/programs/save-program.js';
import { makeDirectory, makePlugin, startEngine } from '../plugin-on-disk.js';

const SHOP = {
  id: 'shop',
  source: `export const tools = [
    { id: 'order', name: 'Order', description: 'One order', annotations: { readOnlyHint: true },
      parameters: { type: 'object', properties: { n: { type: 'number' } } }, execute: ({ n }) => ({ n, euros: 10 * n }) },
    { id: 'wipe', name: 'Wipe', description: 'Deletes all', annotations: { destructiveHint: true }, execute: () => 'wiped' },
  ];`,
};

const SUM = `const orders = await Promise.all(input.ids.map((n: number) => tools.shop.order({ n })));
return { sum: orders.reduce((sum, { euros }) => sum + euros, 0) };`;

function setUp() {
  const storageDirectory = makeDirectory();
  const enclaveKeyFile = join(makeDirectory(), 'enclave.key');
  const shop = makePlugin(SHOP);
  const events: BulkheadEvent[] = [];
  return {
    events,
    place: { storageDirectory, enclaveKeyFile },
    kept: () => readdirSync(join(storageDirectory, '.programs', 'finished')),
    keptPath: (name: string) => join(storageDirectory, '.programs', 'finished', name),
    open: (plugins: readonly string[] = [], options: Partial<EngineOptions> = {}) =>
      startEngine([shop, ...plugins], {
        storageDirectory,
        enclaveKeyFile,
        grant: 'declared',
        tolerance: 'full',
        onEvent: (event) => events.push(event),
        ...options,
      }),
  };
}

/** Writes a saved program with another manifest. */
function write(
  files: Readonly<Record<string, string>>,
  changes: object = {},
  directory: string = makeDirectory(),
): string {
  mkdirSync(directory, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  const file = join(directory, 'bulkhead.program.json');
  const manifest: object = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...manifest, ...changes }));
  return directory;
}

const ABOUT = { id: 'sum', description: 'Sums orders' };

async function finish(engine: Engine): Promise<string> {
  const { id, isError, message } = await engine.runProgram(SUM, { input: { ids: [1, 2] } });
  expect({ isError, message }).toEqual({ isError: false, message: undefined });
  return id;
}

describe('a finished program', () => {
  it('is kept with its source, its input and the tools that it called, and without results', async () => {
    const { open, place, kept, keptPath } = setUp();
    const engine = await open();
    const id = await finish(engine);
    expect(readFinishedProgram(id, place)).toEqual({
      id,
      source: SUM,
      input: { ids: [1, 2] },
      tools: ['shop:order'],
    });
    const [name = ''] = kept();
    expect(statSync(keptPath(name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(keptPath(name), 'utf8')).not.toContain('"euros":10');
    await engine.runProgram('throw new Error("no")');
    expect(kept()).toHaveLength(1);
    // Under the name of another program.
    const stranger = `call_${'0'.repeat(32)}`;
    copyFileSync(keptPath(name), keptPath(name.replace(id, stranger)));
    expect(() => readFinishedProgram(stranger, place)).toThrow(/was changed after it was written/);
    writeFileSync(
      keptPath(name),
      readFileSync(keptPath(name), 'utf8').replace('shop:order', 'shop:wipes'),
    );
    expect(() => readFinishedProgram(id, place)).toThrow(/was changed after it was written/);
    expect(() => readFinishedProgram('call_0', place)).toThrow(/There is no finished program/);
  });

  it('is not read without its key file, which reading does not create', async () => {
    const { open, place } = setUp();
    const engine = await open();
    const id = await finish(engine);
    await engine.close();
    const missing = join(makeDirectory(), 'other.key');
    expect(() => readFinishedProgram(id, { ...place, enclaveKeyFile: missing })).toThrow(
      `The key file ${missing} does not exist`,
    );
    expect(existsSync(missing)).toBe(false);
    expect(readFinishedProgram(id, place).id).toBe(id);
  });

  it('is removed at its expiry, and when a newer one needs its place', () => {
    const { place, kept } = setUp();
    const { maxFinished, maxFinishedPerTenant } = PROGRAM_LIMITS;
    let now = 1_700_000_000_000;
    const finished = openFinishedPrograms({ ...place, now: () => now }, { warn: () => {} });
    const keep = (n: number, tenant: string): string => {
      const id = `call_${n.toString(16).padStart(32, '0')}`;
      now += 1;
      const times = { startedAtMs: now, expiresAtMs: now + 1_000_000 };
      const head = { type: 'program', version: 1, seed: [], source: 'return 1' } as const;
      finished.keep({ ...head, ...times, id, tenant }, []);
      return id;
    };
    const other = keep(0, 'other');
    const first = keep(1, 'acme');
    for (let n = 0; n < maxFinishedPerTenant; n += 1) keep(2 + n, 'acme');
    expect(kept()).toHaveLength(maxFinishedPerTenant + 1);
    expect(() => finished.read(first)).toThrow(/There is no finished program/);
    expect(finished.read(other).source).toBe('return 1');
    for (let n = 0; n < maxFinished; n += 1) keep(1_000 + n, `tenant ${n}`);
    expect(kept()).toHaveLength(maxFinished);
    now += 1_000_000;
    keep(5_000, 'late');
    expect(kept()).toHaveLength(1);
  });
});

describe('a saved program', () => {
  it('is a tool with a schema of its own, whose calls are calls of the engine', async () => {
    const { open, place, events } = setUp();
    const first = await open();
    const files = filesOfSavedProgram(readFinishedProgram(await finish(first), place), ABOUT);
    const engine = await open([write(files)]);
    expect(engine.catalog.find('sum__run')).toMatchObject({
      description: 'Sums orders\n\nIt may call shop:order.',
      inputSchema: { required: ['ids'], properties: { ids: { items: { type: 'number' } } } },
    });
    events.length = 0;
    const result = await engine.call('sum__run', { ids: [1, 2, 3] }, { tenant: 'acme' });
    expect(result).toMatchObject({ isError: false, value: '{"sum":60}' });
    const started = events.filter((event) => event.type === 'call-started');
    expect(started.map(({ plugin, tenant }) => [plugin, tenant])).toEqual([
      ['sum', 'acme'],
      ['(program)', undefined],
      ['shop', 'acme'],
      ['shop', 'acme'],
      ['shop', 'acme'],
    ]);
    expect(started[1]?.parent).toBe(started[0]?.call);
    expect(started[2]?.parent).toBe(started[1]?.call);
    expect(await engine.call('sum__run', { ids: ['x'] })).toMatchObject({
      isError: true,
      code: 'INVALID_INPUT',
    });
  });

  it('calls only the tools that its manifest names, and only with its permission', async () => {
    const { open } = setUp();
    const source = `try { return await tools.shop.wipe({}); } catch ({ code }) { return code; }`;
    const finished = { id: '', source, input: {}, tools: ['shop:order'] };
    const directory = write(filesOfSavedProgram(finished, ABOUT));
    const engine = await open([directory]);
    expect((await engine.call('sum__run', {})).value).toBe('TOOL_NOT_FOUND');
    await engine.revoke('sum', 'powers:call_tools');
    const revoked = await engine.call('sum__run', {}).catch((error: unknown) => error);
    expect(revoked).toMatchObject({ code: expect.stringMatching(/PERMISSION|TOOL_NOT_FOUND/) });
    const without = await open([directory], { grant: 'nothing' });
    expect(await without.call('sum__run', {})).toMatchObject({
      isError: true,
      code: 'PERMISSION_REVOKED',
    });
  });

  it('does not approve its calls: each asks by itself', async () => {
    const { open } = setUp();
    const source = 'return await tools.shop.wipe({})';
    const finished = { id: '', source, input: {}, tools: ['shop:wipe'] };
    const asked: string[] = [];
    const engine = await open([write(filesOfSavedProgram(finished, ABOUT))], {
      tolerance: 'default',
      approve: ({ id }) => {
        asked.push(id);
        return { verdict: id === 'sum:run' ? 'once' : 'deny' };
      },
    });
    expect(await engine.call('sum__run', {})).toMatchObject({ isError: true });
    expect(asked.at(-1)).toBe('shop:wipe');
  });

  it('ends when its permission is revoked', async () => {
    const { open } = setUp();
    const finished = { id: '', source: 'await new Promise(() => {})', input: {}, tools: [] };
    const engine = await open([write(filesOfSavedProgram(finished, ABOUT))]);
    const running = engine.call('sum__run', {});
    await expect.poll(() => engine.programs.list()).toHaveLength(1);
    await engine.revoke('sum', 'powers:call_tools');
    const { value } = await running;
    expect(value).toContain('CANCELLED');
    expect(engine.programs.list()).toEqual([]);
  });

  it('continues after a restart with the definition that it began with, and with no other', async () => {
    const { open } = setUp();
    const source = 'return [await tools.shop.order({ n: 1 }), await tools.shop.wipe({})]';
    const tools = ['shop:order', 'shop:wipe'];
    const files = filesOfSavedProgram({ id: '', source, input: {}, tools }, ABOUT);
    const directory = write(files);
    const options = { tolerance: 'relaxed' } as const;
    const first = await open([directory], options);
    const running = first.call('sum__run', {});
    await expect.poll(() => first.approvals.list()).toHaveLength(1);
    const id = first.programs.list()[0]?.id ?? '';
    await first.close();
    await running;

    write(files, { tools: [...tools, 'shop:other'] }, directory);
    const changed = await open([directory], options);
    await expect(changed.programs.resume(id)).rejects.toMatchObject({ code: 'PROGRAM_FAILED' });
    await changed.close();

    write(files, {}, directory);
    const second = await open([directory], options);
    const [question] = second.approvals.list();
    await second.approvals.answer(question?.approvalId ?? '', {
      verdict: 'once',
      by: 'ann',
      approver: 'person',
    });
    expect(await second.programs.resume(id)).toMatchObject({
      value: [{ n: 1, euros: 10 }, 'wiped'],
    });
  });

  it('may not call by a pattern, if a pack has one', async () => {
    const { open } = setUp();
    const given: unknown[] = [];
    const ended = { id: '', isError: false, text: 'done', calls: [], durationMs: 0 };
    const running = { id: '', done: Promise.resolve(ended), isParked: () => false };
    const place = makeProgramPlacer({ onRevoked: () => () => {} }, () => ({
      ...(undefined as unknown as ProgramRunner),
      start: (saved) => {
        given.push(saved);
        return { ...running, questions: () => [], cancel: () => {} };
      },
    }));
    const engine = await open();
    const listed = engine.catalog.find('shop:order');
    const instance = {
      bundle: { hash: 'h', code: '', sourceMap: '{}', packages: {} },
      entry: { file: 'program.ts', pluginInfo: { tools: ['shop:*', 'shop:order'] } },
      grant: { permissions: { powers: ['call_tools'] } },
    };
    const tool = { listed, instance } as unknown as RunnableTool;
    const { remote } = place(tool, { id: 'sum', version: '1' } as unknown as Plugin);
    const call = { callId: 'c', input: {}, timeoutMs: 1_000, metadata: {}, maxResultBytes: 1_000 };
    await remote.run({ ...call, signal: new AbortController().signal });
    expect(given).toMatchObject([{ tools: ['shop:order'] }]);
  });

  it('is refused with a pattern, an unknown key or a path that leads out', async () => {
    const { open } = setUp();
    const files = filesOfSavedProgram({ id: '', source: 'return 1', input: {}, tools: [] }, ABOUT);
    const cases: [object, string][] = [
      [{ tools: ['shop:*'] }, 'the id of a tool'],
      [{ tool: ['shop:order'] }, 'tool'],
      [{ program: '../program.ts' }, 'not a path inside'],
      [{ tools: Array.from({ length: 201 }, (_, n) => `shop:t${n}`) }, 'more than 200'],
    ];
    for (const [changes, words] of cases) {
      const engine = await open([write(files, changes)]);
      const texts = engine.plugins().flatMap(({ problems }) => problems.map((one) => one.message));
      expect(texts.join()).toContain(words);
      expect(engine.catalog.find('sum__run')).toBeUndefined();
    }
  });
});

describe('the schema of a saved program', () => {
  it('fits the input that it was made from, and nothing else', () => {
    expect(schemaOf({ a: [1], b: { c: null }, d: 'x', e: [] }, 0)).toEqual({
      type: 'object',
      properties: {
        a: { type: 'array', items: { type: 'number' } },
        b: {
          type: 'object',
          properties: { c: { type: 'null' } },
          required: ['c'],
          additionalProperties: false,
        },
        d: { type: 'string' },
        e: { type: 'array' },
      },
      required: ['a', 'b', 'd', 'e'],
      additionalProperties: false,
    });
  });
});
