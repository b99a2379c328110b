import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatRules } from '../../src/approval/rule-book.js';
import type { ApprovalRequest } from '../../src/index.js';
import { makeDirectory, makePlugin, startEngine } from './plugin-on-disk.js';

const asking = {
  id: 'asking',
  entry: { requireApproval: true },
  tools: { echo: '(input) => input' },
};
const calm = { id: 'calm', tools: { echo: '(input) => input' } };
const ONE = { n: 1 };
const DESTROYS = { readOnlyHint: false, destructiveHint: true };

function annotated(id: string, annotations: object, extra: object = {}): string {
  return makePlugin({
    id,
    ...extra,
    source: `export const tools = [{ id: 'run', name: 'n', description: 'd',
      annotations: ${JSON.stringify(annotations)}, execute: (input) => input }];`,
  });
}

describe('what was approved is what runs', () => {
  it('also if the caller changes the input during the approval', async () => {
    const input = { path: 'a.md', list: [1] };
    const engine = await startEngine([makePlugin(asking)], {
      approve: (request) => {
        input.path = '/etc/passwd';
        input.list.push(2);
        Object.assign(request.input as object, { path: '/etc/shadow' });
        return 'once';
      },
    });
    expect((await engine.call('echo', input)).value).toEqual({ path: 'a.md', list: [1] });
  });

  it('also if an input returns another value on each read', async () => {
    let reads = 0;
    const input = {
      get path() {
        reads += 1;
        return reads === 1 ? 'harmless' : 'harmful';
      },
    };
    const seen: unknown[] = [];
    const engine = await startEngine([makePlugin(asking)], {
      approve: (request) => {
        seen.push(request.input);
        return 'once';
      },
    });
    expect((await engine.call('echo', input)).value).toEqual({ path: 'harmless' });
    expect(seen).toEqual([{ path: 'harmless' }]);
  });

  it('asks again if the plugin changed during the approval', async () => {
    const directory = makePlugin(asking);
    const asked: ApprovalRequest[] = [];
    const engine = await startEngine([directory], {
      approve: async (request) => {
        asked.push(request);
        if (asked.length > 1) return { verdict: 'deny', reason: 'it changed' };
        makePlugin({ ...asking, tools: { echo: "() => 'changed'" } }, directory);
        await engine.reload();
        return 'once';
      },
    });
    expect(await engine.call('echo', {})).toMatchObject({ code: 'APPROVAL_DENIED' });
    expect(asked[0]?.bundle).not.toBe(asked[1]?.bundle);
  });

  it('runs if the plugin was reloaded meanwhile and is the same', async () => {
    let asked = 0;
    const engine = await startEngine([makePlugin(asking)], {
      approve: async () => {
        asked += 1;
        await engine.reload();
        return 'once' as const;
      },
    });
    expect((await engine.call('echo', { a: 1 })).value).toEqual({ a: 1 });
    expect(asked).toBe(1);
  });

  it('an approval for good ends with the bundle that it was given to', async () => {
    const directory = makePlugin(asking);
    let asked = 0;
    const engine = await startEngine([directory], {
      approve: () => {
        asked += 1;
        return 'always';
      },
    });
    await engine.call('echo', {});
    await engine.call('echo', {});
    expect(asked).toBe(1);
    makePlugin({ ...asking, tools: { echo: '(input) => [input]' } }, directory);
    await engine.reload();
    expect((await engine.call('echo', ONE)).value).toEqual([ONE]);
    expect(asked).toBe(2);
  });
});

describe('tolerance', () => {
  it.each([
    ['strict', 'ask ask ask'],
    ['default', 'run ask ask'],
    ['relaxed', 'run run ask'],
    ['full', 'run run run'],
    [undefined, 'run run run'],
  ] as const)('%s decides for low, medium and high: %s', async (tolerance, expected) => {
    const engine = await startEngine(
      [
        annotated('low', { readOnlyHint: true }),
        annotated('medium', { readOnlyHint: false, destructiveHint: false }),
        annotated('high', DESTROYS),
      ],
      tolerance === undefined ? {} : { tolerance },
    );
    const codes = await Promise.all(
      ['low:run', 'medium:run', 'high:run'].map(async (id) => (await engine.call(id, {})).code),
    );
    expect(
      codes.map((code) => (code === 'APPROVAL_REQUIRED' ? 'ask' : (code ?? 'run'))).join(' '),
    ).toBe(expected);
  });

  it('counts the band that the grant proves, unless the hints are trusted', async () => {
    const network = { permissions: { network: ['api.example.com'] } };
    const directory = annotated('net', { readOnlyHint: true }, network);
    const bandWith = async (options: object): Promise<unknown> =>
      (await startEngine([directory], options)).catalog.find('run')?.risk;
    expect(await bandWith({})).toBe('medium');
    expect(await bandWith({ grant: 'nothing' })).toBe('low');
    expect(await bandWith({ trustHints: ['net'] })).toBe('low');
    expect(await bandWith({ riskPolicy: 'author' })).toBe('low');
  });

  it.each([{ tolerance: 'loose' }, { riskPolicy: 'none' }])('refuses %j', async (options) => {
    await expect(startEngine([], options as never)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
    });
  });
});

describe('a file of rules', () => {
  it('decides for the tenant that a rule names, and for no other', async () => {
    const rules = join(makeDirectory(), 'rules.json');
    const rule = { tool: 'echo', tenant: 'a' } as const;
    writeFileSync(
      rules,
      formatRules([
        { ...rule, id: 'r-yes', verdict: 'allow', plugin: 'asking', bundle: '*' },
        { ...rule, id: 'r-no', verdict: 'deny', plugin: 'calm' },
      ]),
    );
    const engine = await startEngine([makePlugin(asking), makePlugin(calm)], { rules });
    const codes = async (tool: string): Promise<unknown[]> =>
      Promise.all(
        [{ tenant: 'a' }, { tenant: 'b' }, {}].map(
          async (options) => (await engine.call(tool, ONE, options)).code ?? 'ran',
        ),
      );
    expect(await codes('asking:echo')).toEqual(['ran', 'APPROVAL_REQUIRED', 'APPROVAL_REQUIRED']);
    expect(await codes('calm:echo')).toEqual(['APPROVAL_DENIED', 'ran', 'ran']);
  });

  const deny = {
    id: 'r-no',
    verdict: 'deny',
    plugin: 'calm',
    tool: '*',
    reason: 'not now',
  } as const;

  it('denies what would run unasked, from the moment it is written until it is taken back', async () => {
    const rules = join(makeDirectory(), 'rules.json');
    const engine = await startEngine([makePlugin(calm)], { rules, tolerance: 'full' });
    expect((await engine.call('echo', ONE)).value).toEqual(ONE);
    writeFileSync(rules, formatRules([deny]));
    expect(await engine.call('echo', ONE)).toMatchObject({
      code: 'APPROVAL_DENIED',
      content: [{ text: expect.stringContaining('not now') }],
    });
    expect(engine.rules.remove('r-no')).toBe(true);
    expect((await engine.call('echo', ONE)).value).toEqual(ONE);
  });

  it('makes ask what would run', async () => {
    const rules = join(makeDirectory(), 'rules.json');
    writeFileSync(rules, formatRules([{ ...deny, verdict: 'ask' }]));
    const why: string[] = [];
    const engine = await startEngine([makePlugin(calm)], {
      rules,
      approve: (request) => {
        why.push(request.why);
        return 'once';
      },
    });
    expect((await engine.call('echo', ONE)).value).toEqual(ONE);
    expect(why).toEqual(['rule r-no makes it ask: not now']);
  });

  it('stores permanent approvals for the next engine as well', async () => {
    const rules = join(makeDirectory(), 'rules.json');
    const directory = makePlugin(asking);
    const first = await startEngine([directory], { rules, approve: () => 'always' });
    await first.call('echo', {});
    expect(JSON.parse(readFileSync(rules, 'utf8'))).toMatchObject({
      version: 2,
      rules: [{ verdict: 'allow', plugin: 'asking', tool: 'echo' }],
    });
    const second = await startEngine([directory], { rules });
    expect((await second.call('echo', ONE)).value).toEqual(ONE);
  });

  it('that is broken runs nothing, and is reported at once if it is broken from the start', async () => {
    const rules = join(makeDirectory(), 'rules.json');
    const engine = await startEngine([makePlugin(calm)], { rules });
    writeFileSync(rules, '{"version":1,"rules":[{"verdict":"allow"}]}');
    expect(await engine.call('echo', ONE)).toMatchObject({ code: 'INVALID_RULES' });
    await expect(startEngine([], { rules })).rejects.toMatchObject({ code: 'INVALID_RULES' });
  });
});

it('a rule of a running engine also decides about a tool that does not need approval', async () => {
  const engine = await startEngine([makePlugin(calm)]);
  expect((await engine.call('echo', ONE)).value).toEqual(ONE);
  const { id } = engine.rules.add({ verdict: 'deny', plugin: 'calm', tool: '*' });
  expect(await engine.call('echo', ONE)).toMatchObject({ code: 'APPROVAL_DENIED' });
  engine.rules.remove(id);
  expect((await engine.call('echo', ONE)).value).toEqual(ONE);
});
