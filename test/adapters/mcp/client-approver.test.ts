/** A client's user decides about requests of a running call, by deed. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { createMcpHandler } from '../../../src/adapters/mcp.js';
import { clientApprover } from '../../../src/adapters/mcp/client-approver.js';
import type { ApprovalRequest, EngineOptions } from '../../../src/index.js';
import { askingProgram } from '../../engine/mcp-asking.js';
import { makeServer } from '../../engine/mcp-on-disk.js';
import { makeDirectory, startEngine } from '../../engine/plugin-on-disk.js';
import { afterEachFile } from '../../tidying.js';
import { url } from './served.js';

const open: { close(): Promise<unknown> }[] = [];
afterEachFile(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

interface Connected {
  readonly run: (input?: object) => Promise<unknown>;
  readonly client: Client;
  readonly heard: unknown[];
  readonly elicited: { message: string; requestedSchema?: unknown }[];
  readonly sampled: unknown[];
}

interface Answers {
  readonly decision?: string;
  readonly capabilities?: object;
}

/** A client of the protocol with sessions, before a server in a guest. */
async function connect(
  program: string,
  options: Partial<EngineOptions>,
  { decision = 'once', capabilities = { sampling: {}, elicitation: {} } }: Answers = {},
): Promise<Connected> {
  const engine = await startEngine([makeServer({ program })], {
    storageDirectory: makeDirectory(),
    ...options,
  });
  const handler = createMcpHandler(engine);
  const client = new Client({ name: 'test', version: '1' }, { capabilities });
  const heard: unknown[] = [];
  const sampled: unknown[] = [];
  const elicited: { message: string; requestedSchema?: unknown }[] = [];
  if ('sampling' in capabilities) {
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
      sampled.push(params);
      return { role: 'assistant', model: 'm', content: { type: 'text', text: 'because' } };
    });
  }
  if ('elicitation' in capabilities) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      elicited.push(params);
      return { action: 'accept', content: { decision } };
    });
  }
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
    heard.push(params);
  });
  await client.connect(
    new StreamableHTTPClientTransport(url, {
      fetch: (to, init) => handler.fetch(new Request(to, init)),
    }),
  );
  open.push(client, handler);
  const run = async (input: object = {}): Promise<unknown> => {
    const { content, isError } = await client.callTool({ name: 'run', arguments: { ...input } });
    const [block] = content as { text?: string }[];
    return isError === true ? { failed: block?.text } : JSON.parse(block?.text ?? 'null');
  };
  return { run, client, heard, elicited, sampled };
}

const sampling = askingProgram(`return text(JSON.stringify(await sample('why?')));`);
const grant = { sample: { powers: ['sampling', 'elicitation'], network: ['login.test'] } };

describe('a text for the client’s model, if the host does not answer', () => {
  it('is approved by the client’s user, who sees it and who asks', async () => {
    const { run, elicited, sampled } = await connect(sampling, { grant, tolerance: 'relaxed' });
    expect(await run()).toMatchObject({ content: { text: 'because' } });
    expect(elicited).toHaveLength(1);
    expect(elicited[0]?.message).toMatch(
      /^\[medium risk\] sample is running its tool run, which wants to send SAMPLE mcp:model\./,
    );
    expect(elicited[0]?.message).toContain('why?');
    expect(sampled).toHaveLength(1);
  });

  it('is not sent if the user denies, or cannot be asked', async () => {
    const options = { grant, tolerance: 'relaxed' } as const;
    const denied = await connect(sampling, options, { decision: 'deny' });
    expect(await denied.run()).toEqual({ refused: expect.stringContaining('was not approved') });
    const silent = await connect(sampling, options, { capabilities: { sampling: {} } });
    expect(await silent.run()).toEqual({ refused: expect.stringContaining('needs approval') });
    expect([...denied.sampled, ...silent.sampled]).toEqual([]);
  });

  it('is decided by the host’s approver if there is one', async () => {
    const { run, elicited } = await connect(sampling, {
      grant,
      tolerance: 'relaxed',
      approve: () => 'once',
    });
    expect(await run()).toMatchObject({ content: { text: 'because' } });
    expect(elicited).toEqual([]);
  });
});

describe('the client’s user as approver', () => {
  it('is asked about requests of a running call alone, and not about high risk', async () => {
    const shown: unknown[] = [];
    const { approve } = clientApprover({
      elicit: async (params) => {
        shown.push(params);
        return { action: 'accept', content: { decision: 'once' } };
      },
    });
    const about = (more: Partial<ApprovalRequest>): ApprovalRequest => {
      const request: Partial<ApprovalRequest> = {
        kind: 'effect',
        risk: 'medium',
        plugin: 'p',
        tool: 't',
        riskWhy: 'r',
        why: 'w',
        effect: { method: 'POST', url: 'https://a.test/', headers: [['x', 'y']], body: 'b' },
        signal: new AbortController().signal,
        ...more,
      };
      return request as ApprovalRequest;
    };
    const denial = { verdict: 'deny', reason: 'only the host can approve it' };
    expect(await approve?.(about({ kind: 'call' }))).toEqual(denial);
    expect(await approve?.(about({ risk: 'high' }))).toEqual(denial);
    expect(shown).toEqual([]);
    expect(await approve?.(about({}))).toMatchObject({ verdict: 'once', approver: 'person' });
    expect(shown).toHaveLength(1);
    expect(clientApprover({})).toEqual({});
  });
});

describe('a server in a guest behind the handler', () => {
  it('sends log messages of the level that the client chose', async () => {
    const { run, client, heard } = await connect(
      askingProgram(
        `for (const level of ['debug', 'info', 'error']) send({ method: 'notifications/message', params: { level, data: level } });
         return text('null');`,
        `globalThis.levels = [];
         process.stdin.on('data', (chunk) => {
           for (const line of String(chunk).split('\\n').filter(Boolean)) {
             const { id, method, params } = JSON.parse(line);
             if (method === 'logging/setLevel') { levels.push(params.level); send({ id, result: {} }); }
           }
         });`,
      ).replace('tools: {}', 'tools: {}, logging: {}'),
      { grant, tolerance: 'full' },
    );
    await run();
    await expect.poll(() => heard.length).toBe(3);
    await client.setLoggingLevel('error');
    await run();
    await expect.poll(() => heard.length).toBe(4);
    expect(heard.at(-1)).toMatchObject({ level: 'error', data: 'error' });
  });

  it('opens pages at a client that can open them', async () => {
    const program = askingProgram(
      `return text(JSON.stringify(await ask('elicitation/create', { mode: 'url', message: 'Log in', url: 'https://login.test/' })));`,
    );
    const options = { grant, tolerance: 'full' } as const;
    const forms = await connect(program, options);
    expect(await forms.run()).toEqual({
      refused: expect.stringContaining('the client cannot open pages'),
    });
    const pages = await connect(program, options, {
      capabilities: { elicitation: { form: {}, url: {} } },
    });
    expect(await pages.run()).toMatchObject({ action: 'accept' });
    expect(pages.elicited).toMatchObject([{ mode: 'url', url: 'https://login.test/' }]);
  });
});
