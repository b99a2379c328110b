import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { BulkheadEvent, Engine, EngineOptions, ProgramCall } from '../../../src/index.js';
import { PROGRAM_LIMITS } from '../../../src/engine/programs/program.js';
import { makeDirectory, makePlugin, startEngine } from '../plugin-on-disk.js';

const PLUGIN = {
  id: 'desk',
  source: `export const tools = [
    { id: 'echo', name: 'Echo', description: 'Returns its input', annotations: { readOnlyHint: true },
      parameters: { type: 'object', properties: { n: { type: 'number' }, s: { type: 'string' } } }, execute: (input) => input },
    { id: 'fail', name: 'Fail', description: 'Throws', annotations: { readOnlyHint: true },
      execute: () => { throw new Error('out of ink'); } },
    { id: 'secret', name: 'Secret', description: 'Not for everyone', annotations: { readOnlyHint: true },
      execute: () => 'hunter2' },
    { id: 'send', name: 'Send', description: 'Sends a letter', annotations: { destructiveHint: true },
      parameters: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] }, execute: ({ to }) => 'sent to ' + to },
  ];`,
};

let directory: string;
beforeAll(() => {
  directory = makePlugin(PLUGIN);
});

async function open(options: Partial<EngineOptions> = {}): Promise<{
  engine: Engine;
  events: BulkheadEvent[];
  storageDirectory: string;
}> {
  const events: BulkheadEvent[] = [];
  const storageDirectory = makeDirectory();
  const engine = await startEngine([directory], {
    storageDirectory,
    enclaveKeyFile: join(makeDirectory(), 'enclave.key'),
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { engine, events, storageDirectory };
}

/** The files of programs, of all kinds. */
function filesOf(storageDirectory: string): readonly string[] {
  return readdirSync(join(storageDirectory, '.programs'));
}

describe('a program', () => {
  let engine: Engine;
  let events: BulkheadEvent[];
  let storageDirectory: string;
  beforeAll(async () => {
    ({ engine, events, storageDirectory } = await open());
  });

  it('calls tools, and returns only what it returns and writes', async () => {
    const seen: ProgramCall[] = [];
    const result = await engine.runProgram(
      `const numbers: number[] = [1, 2, 3];
      const all = await Promise.all(numbers.map((n) => tools.desk.echo({ n })));
      text('counted '); text({ all: all.length });
      return all.reduce((sum, { n }) => sum + n, 0);`,
      { tenant: 'acme', onCall: (call) => seen.push(call) },
    );
    expect(result).toMatchObject({ isError: false, value: 6, text: 'counted {"all":3}' });
    expect(result.calls.map(({ number, tool, state }) => [number, tool, state])).toEqual([
      [1, 'desk:echo', 'done'],
      [2, 'desk:echo', 'done'],
      [3, 'desk:echo', 'done'],
    ]);
    expect(seen.filter(({ state }) => state === 'done')).toHaveLength(3);
    const started = events.flatMap((event) => (event.type === 'call-started' ? [event] : []));
    expect(started.map(({ plugin, parent }) => [plugin, parent])).toEqual([
      ['(program)', undefined],
      ['desk', result.id],
      ['desk', result.id],
      ['desk', result.id],
    ]);
    // Its log is gone with it. Its source is kept.
    expect(filesOf(storageDirectory)).toEqual(['finished']);
  });

  it('sees the failure of a tool as an error with its code, and can go on', async () => {
    const { value } = await engine.runProgram(
      `const codes = [];
      for (const one of [tools.desk.fail, tools.desk.ecko, tools.nowhere.x, () => tools.desk.echo({ n: 'text' })]) {
        try { await one({}); } catch (error) { codes.push([error.code, error.message]); }
      }
      return codes;`,
    );
    expect(value).toEqual([
      ['TOOL_FAILED', expect.stringContaining('out of ink')],
      ['TOOL_NOT_FOUND', expect.stringContaining('Did you mean tools.desk.echo?')],
      ['TOOL_NOT_FOUND', expect.stringContaining('search(words)')],
      ['INVALID_INPUT', expect.stringContaining('n')],
    ]);
  });

  it('finds tools by words, and describes one', async () => {
    const { value } = await engine.runProgram(
      `return [(await search('send letters')).map(({ signature }) => signature), await describe('desk.send')];`,
    );
    expect(value).toEqual([
      ['tools.desk.send(input: { to: string }): Promise<unknown>'],
      {
        declaration:
          '/** Sends a letter */\ntools.desk.send(input: { to: string }): Promise<unknown>',
        inputSchema: expect.objectContaining({ required: ['to'] }),
      },
    ]);
  });

  it('says where it fails, in its own lines and columns', async () => {
    expect(
      await engine.runProgram(`const ok: number = 1;\nthrow new TypeError('no ' + ok);`),
    ).toMatchObject({
      isError: true,
      code: 'TOOL_FAILED',
      message: 'TypeError: no 1 (line 2, column 7)',
    });
    await expect(engine.runProgram('return 1 +;')).rejects.toMatchObject({
      code: 'BUNDLE_FAILED',
      message: expect.stringContaining('line 1, column 11: Unexpected ";"'),
    });
    await expect(engine.runProgram('if (true) {\n')).rejects.toMatchObject({
      message: expect.stringContaining('line 2, column 1: The program ends too early'),
    });
    const { message } = await engine.runProgram('return fetch("https://api.test")');
    expect(message).toMatch(
      /^A program may not use the network \(fetch https:\/\/api\.test\)\. \(line 1, column \d+\) To fix this, call a tool that does it\.$/,
    );
    await expect(engine.runProgram('')).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
    await expect(engine.runProgram('return 1', { timeout: 5 } as object)).rejects.toMatchObject({
      message: expect.stringContaining('Did you mean timeoutMs?'),
    });
  });

  it('is limited to the tools that its caller names, and to the policy', async () => {
    const source = `const got = [];
      for (const one of ['echo', 'secret']) {
        try { got.push(await tools.desk[one]({ n: 1 })); } catch ({ code }) { got.push(code); }
      }
      return [got, (await search('')).length];`;
    expect((await engine.runProgram(source, { tools: ['desk__e*'] })).value).toEqual([
      [{ n: 1 }, 'TOOL_NOT_FOUND'],
      1,
    ]);
    const policy = { blockedTools: ['desk:secret'] };
    expect((await engine.runProgram(source, { policy })).value).toEqual([
      [{ n: 1 }, 'TOOL_NOT_FOUND'],
      3,
    ]);
  });

  it('ends at its deadline, when it is cancelled, and at its caps', async () => {
    const loop = await engine.runProgram('while (true) {}', { timeoutMs: 300 });
    expect(loop).toMatchObject({ isError: true, code: 'DEADLINE_EXCEEDED' });
    const stop = new AbortController();
    const cancelled = engine.runProgram('await new Promise(() => {})', { signal: stop.signal });
    stop.abort();
    expect(await cancelled).toMatchObject({ code: 'CANCELLED' });
    const many = await engine.runProgram(
      `let done = 0;
      try { for (;;) { await search('x'); done += 1; } } catch ({ code }) { return [done, code]; }`,
    );
    expect(many.value).toEqual([PROGRAM_LIMITS.maxProgramCalls, 'PROGRAM_LIMIT']);
    const atOnce = await engine.runProgram(
      `const asked = Array.from({ length: 600 }, () => search('x').then(() => 'found', ({ code }) => code));
      return (await Promise.all(asked)).filter((outcome) => outcome === 'found').length;`,
    );
    expect(atOnce.value).toBe(PROGRAM_LIMITS.maxProgramCalls);
    // A call that was made has its answer, although one too many follows it.
    const lastOne = await engine.runProgram(
      `for (let n = 1; n < ${PROGRAM_LIMITS.maxProgramCalls}; n += 1) await search('x');
      return await Promise.all([tools.desk.echo({ n: 1 }), search('x').catch(({ code }) => code)]);`,
    );
    expect(lastOne.value).toEqual([{ n: 1 }, 'PROGRAM_LIMIT']);
    const large = await engine.runProgram(
      `const s = 'x'.repeat(900_000);
      let done = 0;
      try { for (;;) { await search(s); done += 1; } } catch ({ code }) { return [done, code]; }`,
    );
    const most = Math.floor(PROGRAM_LIMITS.maxProgramBytes / 900_000);
    expect(large.value).toEqual([most, 'PROGRAM_LIMIT']);
    const source = `return 1;${' '.repeat(PROGRAM_LIMITS.maxSourceBytes)}`;
    await expect(engine.runProgram(source)).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
  });

  it('leaves room for other tenants', async () => {
    const stop = new AbortController();
    const options = { tenant: 'many', signal: stop.signal };
    const running = Array.from({ length: PROGRAM_LIMITS.maxProgramsPerTenant }, () =>
      engine.runProgram('await new Promise(() => {})', options),
    );
    await expect(engine.runProgram('return 1', options)).rejects.toMatchObject({ code: 'BUSY' });
    stop.abort();
    await Promise.all(running);
    expect((await engine.runProgram('return 1', { tenant: 'other' })).value).toBe(1);
  });
});

describe('a program that needs approval', () => {
  it('is approved call by call, by an approver that sees each exact input', async () => {
    const asked: unknown[] = [];
    const { engine } = await open({
      tolerance: 'default',
      approve: ({ id, input }) => {
        asked.push([id, input]);
        return { verdict: JSON.stringify(input).includes('boss') ? 'deny' : 'once' };
      },
    });
    const { value } = await engine.runProgram(
      `const got = [];
      for (const to of ['ann', 'boss', 'ann']) {
        try { got.push(await tools.desk.send({ to })); } catch ({ code }) { got.push(code); }
      }
      return got;`,
    );
    expect(value).toEqual(['sent to ann', 'APPROVAL_DENIED', 'sent to ann']);
    expect(asked).toEqual(['ann', 'boss', 'ann'].map((to) => ['desk:send', { to }]));
  });

  it('waits without using its deadline, and lists its questions together', async () => {
    const { engine, storageDirectory } = await open({ tolerance: 'default' });
    const running = engine.runProgram(
      `return await Promise.all(['ann', 'bob'].map((to) => tools.desk.send({ to })));`,
      { tenant: 'acme', timeoutMs: 4_000 },
    );
    await expect.poll(() => engine.programs.list()[0]?.state).toBe('parked');
    const [program] = engine.programs.list({ tenant: 'acme' });
    expect(program?.source).toContain('Promise.all');
    const questions = engine.approvals.list({ tenant: 'acme' });
    expect(questions.map(({ input, asker }) => [input, asker])).toEqual([
      [{ to: 'ann' }, `program ${program?.id}`],
      [{ to: 'bob' }, `program ${program?.id}`],
    ]);
    // Its log is for its owner alone.
    const [log = ''] = filesOf(storageDirectory).filter((name) => name.endsWith('.log'));
    expect(statSync(join(storageDirectory, '.programs', log)).mode & 0o777).toBe(0o600);
    // Longer than its deadline.
    await new Promise((resolve) => setTimeout(resolve, 4_200));
    for (const { approvalId } of questions) {
      await engine.approvals.answer(approvalId, { verdict: 'once', by: 'ann', approver: 'person' });
    }
    expect((await running).value).toEqual(['sent to ann', 'sent to bob']);
  });

  it('withdraws its questions when it is cancelled', async () => {
    const { engine } = await open({ tolerance: 'default' });
    const running = engine.runProgram(`return await tools.desk.send({ to: 'ann' });`);
    await expect.poll(() => engine.approvals.list()).toHaveLength(1);
    const [question] = engine.approvals.list();
    await engine.programs.cancel(engine.programs.list()[0]?.id ?? '');
    expect(await running).toMatchObject({ code: 'CANCELLED' });
    expect(engine.approvals.get(question?.approvalId ?? '')?.state).toBe('withdrawn');
    await expect(engine.programs.cancel('call_0')).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
    });
  });

  it('goes on in another engine, unless its log was changed', async () => {
    const { engine, storageDirectory } = await open({ tolerance: 'default' });
    const key = join(makeDirectory(), 'k');
    await engine.close();
    const options = { tolerance: 'default', storageDirectory, enclaveKeyFile: key } as const;
    const first = await startEngine([directory], options);
    const running = first.runProgram(
      `text('a'); const n = await tools.desk.echo({ n: 1 }); return [n, await tools.desk.send({ to: 'ann' })];`,
    );
    await expect.poll(() => first.approvals.list()).toHaveLength(1);
    await first.close();
    expect(await running).toMatchObject({ code: 'ENGINE_CLOSED' });
    const [name = ''] = filesOf(storageDirectory).filter((file) => file.endsWith('.log'));
    const file = join(storageDirectory, '.programs', name);
    const whole = readFileSync(file, 'utf8');
    const id = name.replace('.log', '');

    const second = await startEngine([directory], options);
    writeFileSync(file, whole.replace('"n":1', '"n":2'));
    await expect(second.programs.resume(id)).rejects.toMatchObject({ code: 'PROGRAM_FAILED' });
    // Half a line, as a killed host leaves it.
    writeFileSync(file, `${whole}0123abcd {"type`);
    const resumed = second.programs.resume(id);
    const [question] = second.approvals.list();
    await second.approvals.answer(question?.approvalId ?? '', {
      verdict: 'once',
      by: 'ann',
      approver: 'person',
    });
    expect(await resumed).toMatchObject({ value: [{ n: 1 }, 'sent to ann'], text: 'a' });
    await expect(second.programs.resume(id)).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
  });
});

describe('the tool run_program', () => {
  it('runs a program with the tenant and the policy of its call, and can be searched', async () => {
    const { engine } = await open({ programs: true });
    const names = engine.catalog.list().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['run_program', 'search_tools']));
    expect(engine.catalog.find('run_program')?.description).toContain(
      'tools.desk.send(input: { to: string })',
    );
    const source = `return await tools.desk.secret({});`;
    const ran = await engine.call('run_program', { source });
    expect(ran).toMatchObject({ isError: false, content: [{ text: 'hunter2' }] });
    const policy = { blockedTools: ['desk:secret'] };
    const refused = await engine.call('run_program', { source }, { policy });
    expect(refused).toMatchObject({ isError: true });
    const { content } = await engine.call('search_tools', { words: 'secret' }, { policy });
    expect(content[0]?.text).toBe('[]');
    // A program cannot run programs.
    const nested = await engine.call('run_program', {
      source: `return await tools.host.run_program({ source: 'return 1' });`,
    });
    expect(nested.content[0]?.text).toContain('TOOL_NOT_FOUND');
  });

  it('answers that a program waits, and gives its result to the same tenant alone', async () => {
    const { engine } = await open({ programs: true, tolerance: 'default' });
    const source = `return await tools.desk.send({ to: 'ann' });`;
    const waiting = await engine.call('run_program', { source }, { tenant: 'a', timeoutMs: 6_000 });
    expect(waiting).toMatchObject({ isError: false, status: 'waiting' });
    const id = /call_[0-9a-f]{32}/.exec(waiting.content[0]?.text ?? '')?.[0];
    const [question] = engine.approvals.list({ tenant: 'a' });
    await engine.approvals.answer(question?.approvalId ?? '', {
      verdict: 'once',
      by: 'ann',
      approver: 'person',
    });
    const other = await engine.call('run_program', { resume: id }, { tenant: 'b' });
    expect(other).toMatchObject({ isError: true });
    const own = await engine.call('run_program', { resume: id }, { tenant: 'a' });
    expect(own).toMatchObject({ isError: false, content: [{ text: 'sent to ann' }] });
  });
});
