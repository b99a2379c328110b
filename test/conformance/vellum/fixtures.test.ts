/** A dozen plugins written as real ones are, from `fixtures/plugins/vellum`, run as they are. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallOptions, CallResult, Engine } from '../../../src/index.js';
import { startEngine } from '../../engine/plugin-on-disk.js';

const root = resolve('fixtures/plugins/vellum');
let asked = 0;

const server = createServer((request: IncomingMessage, response: ServerResponse) => {
  const json = (body: unknown): void => void response.end(JSON.stringify(body));
  asked += 1;
  if (request.url?.startsWith('/v1/messages') === true) {
    if (request.headers.authorization !== 'Bearer t0ken') response.statusCode = 401;
    json([
      { id: 'm1', subject: 'Lunch on Friday?', unread: true },
      { id: 'm2', subject: 'Newsletter', unread: true },
      { id: 'm3', subject: 'Please sign', unread: false },
    ]);
  } else if (asked === 1) {
    response.statusCode = 503;
    response.end();
  } else json({ title: 'Slow TV', subscribers: 1_234_567 });
});

let engine: Engine;

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  engine = await startEngine([`${root}/*`], {
    env: { MAIL_TOKEN: 't0ken' },
    network: {
      overrides: ['api.mail.example', 'api.video.example'].map((host) => ({ host, url })),
    },
  });
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const call = (tool: string, input: unknown = {}, options?: CallOptions): Promise<CallResult> =>
  engine.call(tool, input, options);
const textOf = async (tool: string, input?: unknown): Promise<string | undefined> =>
  (await call(tool, input)).content[0]?.text;

it('all of them run, under names without their plugins’', () => {
  expect(
    engine
      .plugins()
      .map(({ id, state }) => `${id} ${state}`)
      .toSorted(),
  ).toEqual([
    'channel-research active',
    'concise active',
    'family-briefing active',
    'git-workflow active',
    'inbox-ea active',
    'meeting-notes active',
    'notes-db active',
    'pantry active',
    'personal-finance active',
    // Its package is called nightstand: in the current edition its directory counts.
    'reading-pal active',
    'travel-planner active',
    'unit-economics active',
    'writing-coach active',
  ]);
  expect(engine.catalog.collisions()).toEqual([]);
  expect(engine.catalog.list().every(({ name, tool }) => name === tool)).toBe(true);
});

describe('what computes', () => {
  it('unit-economics: rates as fractions or per cents, and text of JSON', async () => {
    const result = await call('unit_economics', {
      spend: 900,
      customers: 3,
      revenue_per_customer: 50,
      gross_margin: 80,
      monthly_churn: 0.05,
    });
    expect(JSON.parse(result.content[0]?.text ?? '')).toEqual({
      computed: { cac: 300, ltv: 800, ltv_to_cac: 2.7 },
      needs: [],
    });
    expect((await call('unit_economics', { profit: 1 })).code).toBe('INVALID_INPUT');
  });

  it('writing-coach: the .js beside the .ts, and text full of what looks like code', async () => {
    const { structured } = await call('check_style', {
      text: 'It was mentioned, really. <!-- x -->',
    });
    expect(structured).toMatchObject({
      findings: [{ rule: 'passive' }, { rule: 'filler' }, { rule: 'comment', text: '<!-- x -->' }],
      html: '<!-- report -->\n<h1>Style</h1>  <!-- import("./styles.css") -->',
    });
  });

  it('personal-finance: with BigInt, and a name of the API that never was', async () => {
    const { structured } = await call('sum_ledger', { csv: 'rent;-1200,50\nsalary;2000\nbad;x' });
    expect(structured).toEqual({ total: '799.50', skipped: ['bad;x'] });
    expect(await call('link_bank')).toMatchObject({ isError: false, yieldToUser: true });
  });
});

describe('what is shared by a plugin’s files', () => {
  it('pantry: one list for two tools, and defaults of the schema', async () => {
    const soon = new Date(Date.now() + 3 * 86_400_000).toISOString();
    expect(
      await textOf('pantry_add', { items: [{ name: 'milk', expires: soon }, { name: 'rice' }] }),
    ).toBe('Added 1 × milk, 1 × rice.');
    expect((await call('pantry_expiring')).structured).toEqual([{ name: 'milk', days: 3 }]);
    expect((await call('pantry_expiring', { within_days: 1 })).structured).toEqual([]);
  });

  it('family-briefing: folders, JSON and imports inside of a function', async () => {
    expect((await call('daily_briefing', { day: 'Monday' })).structured).toEqual({
      title: '<!-- briefing --> Monday',
      chores: [
        { name: 'Ada', chores: ['dishes'] },
        { name: 'Ben', chores: ['bins', 'plants'] },
      ],
      empty: null,
    });
    expect((await call('list_people')).structured).toEqual(['Ada', 'Ben']);
  });

  it('notes-db: a database in memory', async () => {
    expect(await textOf('note_add', { text: 'Buy stamps' })).toBe('Note 1 kept.');
    expect(await textOf('search_notes', { query: 'STAMPS' })).toBe('Buy stamps');
    expect(await call('search_notes', { query: ' ' })).toMatchObject({
      isError: true,
      code: 'TOOL_FAILED',
    });
  });

  it('reading-pal: a tool finds what init has made', async () => {
    expect(await textOf('next_book')).toBe('Read Middlemarch.');
  });
});

describe('what reaches outside', () => {
  it('inbox-ea: one host, with a variable that was granted', async () => {
    expect((await call('inbox_triage')).structured).toEqual({
      unread: 2,
      answer: [{ id: 'm1', subject: 'Lunch on Friday?' }],
    });
  });

  it('channel-research: through a fetch of its own that tries again', async () => {
    asked = 0;
    expect(await textOf('channel_overview', { channel: 'https://video.example/@slow' })).toBe(
      'Slow TV: 1.2M subscribers (2 requests)',
    );
  });

  it('travel-planner: a file of its own, by its place', async () => {
    expect(await call('flight_distance', { from: 'osl', to: 'LIS' })).toMatchObject({
      content: [{ type: 'text', text: 'Oslo → Lisbon: 2769 km' }],
      status: '2769 km',
    });
    expect(await call('flight_distance', { from: 'x', to: 'y' })).toMatchObject({ isError: true });
  });

  it('git-workflow: a child process is imported by both tools, and refused to the one that wants it', async () => {
    expect(await textOf('commit_message', { type: 'fix', summary: 'Close the door' })).toBe(
      'fix: Close the door (no repository here)',
    );
    expect((await call('git_status')).code).toBe('BUILTIN_DENIED');
  });

  it('meeting-notes: streams, says that it cut, and shows a picture', async () => {
    const heard: string[] = [];
    const transcript = 'A: hi\nB: hello\nA: so\nA: well\nB: bye';
    const result = await call(
      'summarise_transcript',
      { transcript },
      { onOutput: (chunk) => heard.push(chunk) },
    );
    expect(result).toMatchObject({ status: 'truncated', yieldToUser: true, isError: false });
    expect(result.content.map(({ type }) => type)).toEqual(['text', 'image']);
    expect(result.content[0]?.text).toBe('A (3), B (1)');
    expect(heard.join('')).toBe('line 1/5\nline 2/5\nline 3/5\nline 4/5\n');
    expect(engine.catalog.find('summarise_transcript')?.exclusive).toBe(true);
  });
});
