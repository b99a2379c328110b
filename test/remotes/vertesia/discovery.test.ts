import { describe, expect, it } from 'vitest';
import { toolUrl } from '../../../src/remotes/vertesia/vertesia.js';
import { makeRemote, type Seen, serveTools, weather } from './server.js';

const signal = AbortSignal.timeout(20_000);

describe('the tools of a tool server', () => {
  it('are listed without a token, in the form of the protocol', async () => {
    const server = await serveTools({ src: 'x', title: 'CRM', description: 'd', tools: [weather] });
    const { name, description, tools, problems } = await makeRemote(server.url).load(signal);
    expect({ name, description, problems }).toEqual({
      name: 'CRM',
      description: 'd',
      problems: [],
    });
    expect(tools).toMatchObject([
      {
        tool: 'weather',
        title: 'weather',
        description: 'Tells the weather',
        inputSchema: weather.input_schema,
        declaredRisk: 'medium',
        requireApproval: false,
      },
    ]);
    expect(server.seen[0]?.headers.authorization).toBeUndefined();
  });

  it('declare their risk by class, or by hints without a class', async () => {
    const tools = [
      { ...weather, name: 'a', approval_class: 'read_only' },
      { ...weather, name: 'b', approval_class: 'side_effecting' },
      { ...weather, name: 'c', approval_class: 'control' },
      { ...weather, name: 'd', approval_class: 'requires_confirmation' },
      { ...weather, name: 'e', annotations: { readOnlyHint: true, title: 'E', odd: 1 } },
      { ...weather, name: 'f', annotations: { destructiveHint: true } },
    ];
    const listing = await makeRemote((await serveTools({ tools })).url).load(signal);
    expect(listing.tools.map(({ declaredRisk }) => declaredRisk)).toEqual([
      'low',
      'medium',
      'medium',
      'high',
      'low',
      'high',
    ]);
    expect(listing.tools[3]?.requireApproval).toBe(true);
    expect(listing.tools[4]?.annotations).toEqual({ title: 'E', readOnlyHint: true });
  });

  it('do not include tools that are not valid', async () => {
    const tools = [
      null,
      7,
      { name: '' },
      { name: 'a:b' },
      { name: 'bad-schema', input_schema: { $ref: 'https://evil.example/schema' } },
      { name: 'hidden', default: false, input_schema: {} },
      { name: 'constructor', description: 'fine', input_schema: { type: 'object' } },
      weather,
      { ...weather, description: 'again' },
    ];
    const listing = await makeRemote((await serveTools({ tools })).url).load(signal);
    expect(listing.tools.map(({ tool }) => tool)).toEqual(['constructor', 'weather']);
    expect(listing.problems).toHaveLength(7);
    expect(listing.tools[1]?.description).toBe('Tells the weather');
  });

  it.each([
    ['no JSON', { body: '<html>' }],
    ['no list', { body: { tools: {} } }],
    ['nothing', { status: 500, body: {} }],
    ['somewhere else', { status: 302, headers: { location: 'http://evil.example' }, body: {} }],
    ['too much', { body: { tools: [{ ...weather, description: 'x'.repeat(5_000_000) }] } }],
  ])('are none if the answer is %s', async (_what, reply) => {
    const server = await serveTools(() => reply);
    const { tools, problems } = await makeRemote(server.url).load(signal);
    expect(tools).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain('did not list its tools');
    expect(server.seen).toHaveLength(1);
  });

  it('stay in use while the server is down, and change with its next list', async () => {
    let answer: object = { body: { tools: [weather] } };
    const remote = makeRemote((await serveTools(() => answer)).url);
    expect((await remote.load(signal)).tools).toHaveLength(1);
    answer = { status: 500 };
    const stale = await remote.load(signal);
    expect(stale.tools).toHaveLength(1);
    expect(stale.problems[0]?.message).toContain('Its last list stays in use');
    answer = { body: { tools: [{ ...weather, name: 'renamed' }] } };
    const changed = await remote.load(signal);
    expect(changed.tools).toEqual([]);
    expect(changed.problems).toMatchObject([{ code: 'REMOTE_CHANGED', toolId: 'renamed' }]);
    await remote.accept();
    expect((await remote.load(signal)).tools.map(({ tool }) => tool)).toEqual(['renamed']);
  });

  it('are requested by their etag, and not sent again if they are unchanged', async () => {
    const reply = ({ headers }: Seen): object =>
      headers['if-none-match'] === '"1"'
        ? { status: 304, body: '' }
        : { headers: { etag: '"1"' }, body: { tools: [weather] } };
    const server = await serveTools(reply);
    const remote = makeRemote(server.url);
    await remote.load(signal);
    expect((await remote.load(signal)).tools).toHaveLength(1);
    expect(server.seen[1]?.headers['if-none-match']).toBe('"1"');
  });

  it('are not requested at a private address unless the operator allows it', async () => {
    const server = await serveTools({ tools: [weather] });
    const { problems } = await makeRemote(server.url, { allowPrivate: false }).load(signal);
    expect(problems).toMatchObject([{ code: 'NETWORK_DENIED' }]);
    expect(problems[0]?.message).toContain('"allowPrivate": true');
    expect(server.seen).toEqual([]);
  });

  it('are only the registered ones', async () => {
    const tools = [weather, { ...weather, name: 'other' }];
    const remote = makeRemote((await serveTools({ tools })).url, { tools: ['weather'] });
    expect((await remote.load(signal)).tools.map(({ tool }) => tool)).toEqual(['weather']);
  });
});

describe('the URL of a tool', () => {
  it.each([
    [undefined, 'https://a.example/api/tools/x'],
    ['tools/house', 'https://a.example/api/tools/house'],
    ['/api/tools/house', 'https://a.example/api/tools/house'],
    ['https://b.example/t', 'https://b.example/t'],
    ['//b.example/t', 'https://b.example/t'],
    ['other', 'https://a.example/api/tools/other'],
    ['javascript:alert(1)', undefined],
    ['https://user:pw@a.example/', undefined],
  ])('that is written as %s is %s', (written, expected) => {
    expect(toolUrl(written, 'https://a.example/api/tools/x')?.href).toBe(expected);
  });

  it('must be at the registered origin, or at a named one', async () => {
    const other = await serveTools({ tools: [] });
    const tools = [{ ...weather, url: `${other.origin}/t` }];
    const server = await serveTools({ tools });
    const { problems } = await makeRemote(server.url).load(signal);
    expect(problems[0]?.message).toContain('"origins"');
    expect(other.seen).toEqual([]);
    const named = makeRemote(server.url, { origins: [other.origin] });
    const [tool] = (await named.load(signal)).tools;
    expect(tool?.tool).toBe('weather');
  });
});
