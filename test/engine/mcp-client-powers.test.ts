/** What an MCP server in a guest asks of the client that calls, by deed. */
import { describe, expect, it } from 'vitest';
import type { ApprovalRequest, CallOptions, CallResult, Engine } from '../../src/index.js';
import { askingProgram, makeClient } from './mcp-asking.js';
import { startServer } from './mcp-on-disk.js';
import { makeDirectory } from './plugin-on-disk.js';

async function run(
  engine: Engine,
  input: Readonly<Record<string, unknown>> = {},
  options: CallOptions = {},
): Promise<unknown> {
  const result = await engine.call('run', input, options);
  const text = textOf(result);
  return result.isError ? { failed: text } : JSON.parse(text);
}

function textOf({ content }: CallResult): string {
  return content.map((block) => ('text' in block ? block.text : '')).join('');
}

const answer = (expression: string): string => `return text(JSON.stringify(${expression}));`;

describe('a server that was granted nothing of its client', () => {
  it('is told of no capability, and reaches neither user nor model', async () => {
    const engine = await startServer({
      program: askingProgram(
        answer(`[seen[0], await form('Hi'), await sample('why?'), await ask('roots/list')]`),
      ),
    });
    const client = makeClient();
    expect(await run(engine, {}, { client })).toEqual([
      {},
      { refused: 'elicitation/create is not granted to this server' },
      { refused: 'sampling/createMessage is not granted to this server' },
      { refused: 'roots/list is not granted to this server' },
    ]);
    expect([...client.elicited, ...client.sampled]).toEqual([]);
    await engine.close();
  });
});

describe('the permission elicitation', () => {
  const grant = { sample: { powers: ['elicitation'], network: ['https://login.test'] } };

  it('shows the client’s user a form that names the plugin and quotes it', async () => {
    const engine = await startServer(
      { program: askingProgram(answer(`[seen[0], await form(args.message, args.fields)]`)) },
      { grant },
    );
    const client = makeClient();
    const message = '[low risk] bulkhead wants to run its tool.\nInput: {} \u202Eok';
    const fields = { decision: { type: 'string', title: 'Allow this call?\u202E' } };
    expect(await run(engine, { message, fields }, { client })).toEqual([
      { elicitation: { form: {}, url: {} } },
      { action: 'accept', content: { name: 'Ann' } },
    ]);
    const [shown] = client.elicited as { message: string; requestedSchema: object }[];
    expect(shown?.message).toBe(
      'The tool server sample asks: "[low risk] bulkhead wants to run its tool.\\nInput: {} \\u202eok"',
    );
    expect(JSON.stringify(shown?.requestedSchema)).not.toContain('\u202E');
    await engine.close();
  });

  it('opens pages of hosts that were granted, over https alone', async () => {
    const engine = await startServer(
      {
        program: askingProgram(
          answer(
            `await ask('elicitation/create', { mode: 'url', message: 'Log in', url: args.url })`,
          ),
        ),
      },
      { grant },
    );
    const client = makeClient();
    const open = (url: string): Promise<unknown> => run(engine, { url }, { client });
    expect(await open('https://login.test/a?b=c')).toMatchObject({ action: 'accept' });
    for (const url of [
      'https://login.test.evil/',
      'http://login.test/',
      'https://user:pass@login.test/',
      'javascript:alert(1)',
      'https://other.test/',
      'x',
    ]) {
      expect(await open(url)).toEqual({ refused: expect.stringMatching(/may not open|no URL/) });
    }
    expect(client.elicited).toEqual([
      expect.objectContaining({
        url: 'https://login.test/a?b=c',
        message: expect.stringContaining('The tool server sample asks: "Log in"'),
      }),
    ]);
    await engine.close();
  });

  it('pauses the deadline of the call, and asks at most ten times', async () => {
    const engine = await startServer(
      {
        program: askingProgram(`
          const answers = [];
          for (let n = 0; n < args.times; n += 1) answers.push((await form('Hi')).refused ?? 'answered');
          ${answer('answers')}`),
      },
      { grant },
    );
    const slow = makeClient({
      elicit: () =>
        new Promise((resolve) => {
          setTimeout(() => resolve({ action: 'decline' }), 1_200);
        }),
    });
    expect(await run(engine, { times: 1 }, { client: slow, timeoutMs: 1_000 })).toEqual([
      'answered',
    ]);
    const client = makeClient();
    const answers = (await run(engine, { times: 12 }, { client })) as string[];
    expect(answers.filter((one) => one === 'answered')).toHaveLength(10);
    expect(answers.at(-1)).toContain('a call may ask the user 10 times');
    expect(client.elicited).toHaveLength(10);
    await engine.close();
  });

  it('does not ask again in a call whose question was not answered', async () => {
    const engine = await startServer(
      { program: askingProgram(answer(`[await form('Hi'), await form('Hi')]`)) },
      { grant },
    );
    let asked = 0;
    const client = makeClient({
      elicit: () => {
        asked += 1;
        return Promise.reject(new Error('nobody is there'));
      },
    });
    expect(await run(engine, {}, { client })).toEqual([
      { refused: expect.stringContaining('nobody is there') },
      { refused: expect.stringContaining('an earlier request of this call was refused') },
    ]);
    expect(asked).toBe(1);
    expect(await run(engine, {}, {})).toEqual([
      { refused: expect.stringContaining('the client cannot ask its user') },
      { refused: expect.stringContaining('the client cannot ask its user') },
    ]);
    await engine.close();
  });

  it('asks for a call that is certain: not between calls, and not while two run', async () => {
    const engine = await startServer(
      {
        program: askingProgram(`
          if (args.wait) { await new Promise((resolve) => { globalThis.release = resolve; }); return text('null'); }
          if (args.later) { setTimeout(async () => { globalThis.late = await form('Hi'); }, 50); return text('null'); }
          if (args.late) return text(JSON.stringify(globalThis.late ?? null));
          const given = await form('Hi');
          globalThis.release?.();
          ${answer('given')}`),
      },
      { grant: { sample: { ...grant.sample, time: true } } },
    );
    const client = makeClient();
    const waiting = run(engine, { wait: true }, { client });
    expect(await run(engine, {}, { client })).toEqual({
      refused: expect.stringContaining('only possible during one call'),
    });
    await waiting;
    await run(engine, { later: true }, { client });
    await new Promise((resolve) => {
      setTimeout(resolve, 300);
    });
    await expect
      .poll(() => run(engine, { late: true }))
      .toEqual({ refused: expect.stringContaining('only possible during one call') });
    expect(client.elicited).toEqual([]);
    await engine.close();
  });

  it('withdraws the question when the call, the server or the operator ends it', async () => {
    const engine = await startServer(
      {
        program: askingProgram(`
          if (args.cancel) {
            const given = askAs('c1', 'elicitation/create', { message: 'Hi', requestedSchema: { type: 'object', properties: {} } });
            send({ method: 'notifications/cancelled', params: { requestId: 'c1' } });
            ${answer('await given')}
          }
          ${answer(`await form('Hi')`)}`),
      },
      { grant },
    );
    const ends: string[] = [];
    let shown = 0;
    const client = makeClient({
      elicit: (_, signal) => {
        shown += 1;
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            ends.push('withdrawn');
            reject(new Error('withdrawn'));
          });
        });
      },
    });
    const caller = new AbortController();
    const given = run(engine, {}, { client, signal: caller.signal });
    await expect.poll(() => shown).toBe(1);
    caller.abort();
    expect(await given).toEqual({ failed: expect.stringContaining('cancelled') });
    await expect.poll(() => ends.length).toBe(1);

    // The server may cancel before its question is shown.
    expect(await run(engine, { cancel: true }, { client })).toEqual({
      refused: expect.any(String),
    });
    expect(ends.length).toBe(shown);

    const revoked = run(engine, {}, { client });
    await expect.poll(() => shown - ends.length).toBe(1);
    await engine.revoke('sample', 'powers:elicitation');
    expect(await revoked).toEqual({ refused: expect.stringContaining('revoked') });
    expect(ends.length).toBe(shown);
    expect(await run(engine, {}, { client })).toEqual({
      refused: 'elicitation/create is not granted to this server',
    });
    await engine.close();
  });

  it('has at most 16 requests open, also of a server that asks for thousands', async () => {
    const engine = await startServer(
      {
        program: askingProgram(`
          const all = await Promise.all(Array.from({ length: 2000 }, () => form('Hi')));
          ${answer(`all.filter(({ refused }) => refused?.includes('too many requests')).length`)}`),
      },
      { grant },
    );
    expect(await run(engine, {}, { client: makeClient() })).toBe(2_000 - 16);
    await engine.close();
  });
});

describe('the permission sampling', () => {
  const grant = { sample: { powers: ['sampling'] } };
  const program = askingProgram(`
    const answers = [];
    for (let n = 0; n < (args.times ?? 1); n += 1)
      answers.push(await sample('why?', { includeContext: 'allServers', tools: [{ name: 'shell' }], toolChoice: { mode: 'required' } }));
    ${answer('answers')}`);
  const because = expect.objectContaining({ content: { type: 'text', text: 'because' } });

  it('asks the approver first, who sees the whole text, and is refused without one', async () => {
    const asked: ApprovalRequest[] = [];
    let verdict: 'once' | 'deny' = 'once';
    const approve = (request: ApprovalRequest): 'once' | 'deny' => {
      asked.push(request);
      return verdict;
    };
    const engine = await startServer({ program }, { grant, tolerance: 'relaxed', approve });
    const client = makeClient();
    expect(await run(engine, {}, { client })).toEqual([because]);
    expect(asked).toMatchObject([
      {
        kind: 'effect',
        plugin: 'sample',
        risk: 'medium',
        effect: { method: 'SAMPLE', url: 'mcp:model', body: expect.stringContaining('why?') },
      },
    ]);
    verdict = 'deny';
    expect(await run(engine, { times: 3 }, { client })).toEqual([
      { refused: expect.stringContaining('was not approved') },
      { refused: expect.stringContaining('was refused') },
      { refused: expect.stringContaining('was refused') },
    ]);
    expect(asked).toHaveLength(2);
    expect(client.sampled).toHaveLength(1);
    await engine.close();

    const unattended = await startServer({ program }, { grant, tolerance: 'relaxed' });
    expect(await run(unattended, {}, { client })).toEqual([
      { refused: expect.stringContaining('needs approval') },
    ]);
    expect(client.sampled).toHaveLength(1);
    await unattended.close();
  });

  it('follows a rule for it', async () => {
    const engine = await startServer({ program }, { grant, tolerance: 'relaxed' });
    engine.rules.add({
      verdict: 'allow',
      plugin: 'sample',
      tool: '*',
      bundle: '*',
      effect: 'SAMPLE mcp:model',
    });
    expect(await run(engine, {}, { client: makeClient() })).toEqual([because]);
    await engine.close();
  });

  it('sends no context and no tools, few tokens, and few requests of a call', async () => {
    const engine = await startServer({ program }, { grant });
    const client = makeClient();
    const answers = (await run(engine, { times: 7 }, { client })) as object[];
    expect(answers.slice(0, 5)).toEqual([because, because, because, because, because]);
    expect(answers[5]).toEqual({
      refused: expect.stringContaining('a call may ask the model 5 times'),
    });
    expect(client.sampled).toHaveLength(5);
    expect(client.sampled[0]).toEqual({
      messages: [{ role: 'user', content: { type: 'text', text: 'why?' } }],
      includeContext: 'none',
      maxTokens: 1_000,
    });
    await engine.close();
  });

  it('has the caps of the configuration, and refuses an invalid one', async () => {
    const config = { sample: { sampling: { maxTokens: 50, maxRequests: 1 } } };
    const engine = await startServer({ program }, { grant, config });
    const client = makeClient();
    expect(await run(engine, { times: 2 }, { client })).toEqual([
      because,
      { refused: expect.stringContaining('a call may ask the model 1 times') },
    ]);
    expect(client.sampled).toMatchObject([{ maxTokens: 50 }]);
    await engine.close();

    const wrong = await startServer(
      { program },
      { grant, config: { sample: { sampling: { maxTokens: 'many' } } } },
    );
    expect(wrong.plugins()[0]?.problems[0]?.message).toContain('sampling: takes { maxTokens');
    await wrong.close();
  });
});

describe('the permission roots', () => {
  it('names the granted directories as the server sees them, and nothing else', async () => {
    const notes = makeDirectory();
    const other = makeDirectory();
    const engine = await startServer(
      { program: askingProgram(answer(`[seen, await ask('roots/list')]`)) },
      { grant: { sample: { powers: ['roots'], fs: ['.', `${notes}:/notes`, `${other}:rw`] } } },
    );
    const name = other.split('/').at(-1);
    expect(await run(engine)).toEqual([
      [{ roots: { listChanged: true } }],
      {
        roots: [
          { uri: 'file:///notes', name: 'notes' },
          { uri: `file://${other}`, name },
        ],
      },
    ]);
    await engine.revoke('sample', `fs:${other}:rw`);
    await expect
      .poll(() => run(engine))
      .toEqual([
        [{ roots: { listChanged: true } }, 'notifications/roots/list_changed'],
        { roots: [{ uri: 'file:///notes', name: 'notes' }] },
      ]);
    await engine.close();
  });
});

describe('log messages of a server', () => {
  const program = askingProgram(`
    if (args.wait) { await new Promise((resolve) => { globalThis.release = resolve; }); return text('null'); }
    for (const params of args.messages) send({ method: 'notifications/message', params });
    if (args.large) send({ method: 'notifications/message', params: { level: 'info', data: { text: 'x'.repeat(1_000_000) } } });
    globalThis.release?.();
    return text('null');`);

  it('reach the client of the call, cut, with their level', async () => {
    const engine = await startServer({ program });
    const client = makeClient();
    const messages = [
      { level: 'warning', logger: 'db', data: { slow: true } },
      { level: 'loud', data: 'unknown level' },
      { data: 'no level' },
      { level: 'info', data: null },
    ];
    await run(engine, { messages, large: true }, { client });
    await expect.poll(() => client.logged.length).toBe(3);
    expect(client.logged[0]).toEqual({ level: 'warning', logger: 'db', data: { slow: true } });
    expect(client.logged[1]).toEqual({ level: 'info', data: null });
    expect(String(client.logged[2]?.data).length).toBeLessThanOrEqual(65_536);
    await engine.close();
  });

  it('reach no client while two calls run, as they could be of either', async () => {
    const engine = await startServer({ program });
    const first = makeClient();
    const second = makeClient();
    const waiting = run(engine, { wait: true, messages: [] }, { client: first });
    await run(engine, { messages: [{ level: 'info', data: 'whose?' }] }, { client: second });
    await waiting;
    expect([...first.logged, ...second.logged]).toEqual([]);
    await engine.close();
  });
});

describe('progress of a server', () => {
  it('reaches a caller that reads it as numbers', async () => {
    const engine = await startServer({
      program: askingProgram(`
        const { progressToken } = message.params._meta;
        for (const progress of [1, 2]) send({ method: 'notifications/progress', params: { progressToken, progress, total: 2, message: 'step' } });
        return text('null');`),
    });
    const heard: unknown[] = [];
    const onProgress = (progress: unknown): void => void heard.push(progress);
    await run(engine, {}, { onProgress });
    expect(heard).toEqual([
      { progress: 1, total: 2, message: 'step' },
      { progress: 2, total: 2, message: 'step' },
    ]);
    const lines: string[] = [];
    await run(engine, {}, { onOutput: (chunk) => void lines.push(chunk) });
    expect(lines.join('')).toBe('1/2 step\n2/2 step\n');
    await engine.close();
  });
});

describe('changes of what a server offers', () => {
  it('reach the listeners of its source, and subscriptions end with the last client', async () => {
    const engine = await startServer({
      program: askingProgram(
        `send({ method: 'notifications/resources/list_changed' });
         send({ method: 'notifications/prompts/list_changed' });
         send({ method: 'notifications/resources/updated', params: { uri: 'x:1' } });
         send({ method: 'notifications/resources/updated', params: { uri: 5 } });
         ${answer('globalThis.subscribed')}`,
        `globalThis.subscribed = [];
         process.stdin.on('data', (chunk) => {
           for (const line of String(chunk).split('\\n').filter(Boolean)) {
             const { id, method, params } = JSON.parse(line);
             if (method !== 'resources/subscribe' && method !== 'resources/unsubscribe') continue;
             subscribed.push(method + ' ' + params.uri);
             send({ id, result: {} });
           }
         });`,
      ),
    });
    const [source] = engine.mcpSources();
    const notices: unknown[] = [];
    const stop = source?.onNotice((notice) => void notices.push(notice));
    const { signal } = new AbortController();
    const ends = [await source?.subscribe('x:1', signal), await source?.subscribe('x:1', signal)];
    await ends[0]?.();
    await ends[0]?.();
    expect(await run(engine)).toEqual(['resources/subscribe x:1', 'resources/subscribe x:1']);
    await ends[1]?.();
    expect(await run(engine)).toContain('resources/unsubscribe x:1');
    const all = [
      { type: 'resources-changed' },
      { type: 'prompts-changed' },
      { type: 'resource-updated', uri: 'x:1' },
    ];
    await expect.poll(() => notices).toEqual([...all, ...all]);
    stop?.();
    await run(engine);
    expect(notices).toHaveLength(6);
    await engine.close();
  });
});
