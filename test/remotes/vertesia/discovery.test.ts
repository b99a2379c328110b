import { describe, expect, it } from 'vitest';
import { placeOf } from '../../../src/remotes/vertesia/place.js';
import { makeRemote, type Seen, serveTools, weather } from './server.js';

const signal = AbortSignal.timeout(20_000);

describe('what a tool server offers', () => {
  it('is asked without a token, and read as documented', async () => {
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

  it('says its risk by class, and by hints where it has none', async () => {
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

  it('loses one bad tool and keeps the others', async () => {
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
  ])('is none where it is %s', async (_what, reply) => {
    const server = await serveTools(() => reply);
    const { tools, problems } = await makeRemote(server.url).load(signal);
    expect(tools).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain('did not say what it offers');
    expect(server.seen).toHaveLength(1);
  });

  it('is kept while the server is down, and changes when it does', async () => {
    let answer: object = { body: { tools: [weather] } };
    const remote = makeRemote((await serveTools(() => answer)).url);
    expect((await remote.load(signal)).tools).toHaveLength(1);
    answer = { status: 500 };
    const stale = await remote.load(signal);
    expect(stale.tools).toHaveLength(1);
    expect(stale.problems[0]?.message).toContain('goes on with what it offered before');
    answer = { body: { tools: [{ ...weather, name: 'renamed' }] } };
    expect((await remote.load(signal)).tools.map(({ tool }) => tool)).toEqual(['renamed']);
  });

  it('is asked for by its tag, and not sent again where it is the same', async () => {
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

  it('is not asked at a private address unless the operator says so', async () => {
    const server = await serveTools({ tools: [weather] });
    const { problems } = await makeRemote(server.url, { allowPrivate: false }).load(signal);
    expect(problems).toMatchObject([{ code: 'NETWORK_DENIED' }]);
    expect(problems[0]?.message).toContain('"allowPrivate": true');
    expect(server.seen).toEqual([]);
  });

  it('is as much of it as was registered', async () => {
    const tools = [weather, { ...weather, name: 'other' }];
    const remote = makeRemote((await serveTools({ tools })).url, { tools: ['weather'] });
    expect((await remote.load(signal)).tools.map(({ tool }) => tool)).toEqual(['weather']);
  });
});

describe('where a tool is sent', () => {
  it.each([
    [undefined, 'https://a.example/api/tools/x'],
    ['tools/house', 'https://a.example/api/tools/house'],
    ['/api/tools/house', 'https://a.example/api/tools/house'],
    ['https://b.example/t', 'https://b.example/t'],
    ['//b.example/t', 'https://b.example/t'],
    ['other', 'https://a.example/api/tools/other'],
    ['javascript:alert(1)', undefined],
    ['https://user:pw@a.example/', undefined],
  ])('%s is %s', (written, expected) => {
    expect(placeOf(written, 'https://a.example/api/tools/x')?.href).toBe(expected);
  });

  it('is where it was registered, or an origin that was named', async () => {
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
