import { describe, expect, it } from 'vitest';
import { makeRuleBook } from '../../src/approval/rule-book.js';
import { rulesFileOf } from '../../src/cli/engine-options.js';
import { conditionsOf } from '../../src/cli/rules.js';
import { runFake } from './fake.js';

const environment = { HOME: '/home/ada', USER: 'ada' };

describe('bulkhead rules', () => {
  it('adds rules, lists them, and takes them back', async () => {
    const rules = makeRuleBook();
    const spec = { rules, environment };
    const added = await runFake(
      ['rules', 'add', 'deny', '@a/mail:*', '--reason', 'not\u202ehere', '--json'],
      spec,
    );
    expect(added.code).toBe(0);
    expect(JSON.parse(added.stdout.text)).toMatchObject({
      ok: true,
      rule: { verdict: 'deny', plugin: '@a/mail', tool: '*', by: 'operator' },
    });
    const listed = await runFake(['rules', 'list'], spec);
    expect(listed.stdout.text).toContain('deny @a/mail:*');
    expect(listed.stdout.text).toContain('not\\u202ehere');
    const [rule] = rules.list();
    expect((await runFake(['rules', 'remove', rule?.id ?? ''], spec)).code).toBe(0);
    expect(rules.list()).toEqual([]);
    expect((await runFake(['rules', 'remove', rule?.id ?? ''], spec)).code).toBe(1);
  });

  it('takes conditions, a bundle, a tenant and an end', async () => {
    const rules = makeRuleBook();
    const line = 'rules add allow w:get --bundle sha512-a --tenant t1 --until 2027-01-01';
    await runFake([...line.split(' '), '--when', 'city=Oslo', '--when', 'city=Bergen'], {
      rules,
      environment,
    });
    expect(rules.list()).toMatchObject([
      {
        verdict: 'allow',
        bundle: 'sha512-a',
        tenant: 't1',
        until: '2027-01-01T00:00:00.000Z',
        input: { city: { oneOf: ['Oslo', 'Bergen'] } },
      },
    ]);
  });

  it.each([
    ['rules add permit w:get', /allow, ask or deny/],
    ['rules add deny w', /plugin:tool/],
    ['rules add deny p1__echo', /did you mean p1:echo\?/],
    ['rules add deny w:get --until 2020-01-01', /is in the past/],
    ['rules add allow w:get', /--bundle/],
    ['rules add deny w:get --until later', /--until/],
    ['rules add deny w:get --when city', /--when/],
  ])('refuses %s', async (line, message) => {
    const rules = makeRuleBook();
    const { code, stderr } = await runFake(line.split(' '), { rules, environment });
    expect(code).toBe(1);
    expect(stderr.text).toMatch(message);
    expect(rules.list()).toEqual([]);
  });

  it('previews the decision for a call, without a call', async () => {
    const { code, stdout, calls, created } = await runFake(
      ['rules', 'test', 'echo', 'dir', '--json'],
      {
        environment,
      },
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout.text)).toMatchObject({ verdict: 'run', reason: 'it is fake' });
    expect(calls).toEqual([]);
    expect(created[0]).toMatchObject({ rules: '/home/ada/.config/bulkhead/rules.json' });
  });
});

describe('the file of rules', () => {
  it('is the user’s own file, never one of the current directory', () => {
    expect(rulesFileOf({}, { environment })).toBe('/home/ada/.config/bulkhead/rules.json');
    expect(rulesFileOf({}, { environment: { XDG_CONFIG_HOME: '/c', HOME: '/h' } })).toBe(
      '/c/bulkhead/rules.json',
    );
    expect(rulesFileOf({}, { environment: {} })).toBeUndefined();
    expect(rulesFileOf({ rules: 'r.json' }, { environment })).toBe('r.json');
  });

  it('has to be named if there is no home', async () => {
    expect((await runFake(['rules', 'list'])).code).toBe(1);
  });
});

describe('conditions as people write them', () => {
  it.each([
    [['a=1'], { a: { equals: 1 } }],
    [['a=x'], { a: { equals: 'x' } }],
    [['a="1"'], { a: { equals: '1' } }],
    [['a.b=true'], { 'a.b': { equals: true } }],
    [['a=x=y'], { a: { equals: 'x=y' } }],
    [['a^=/tmp/'], { a: { startsWith: '/tmp/' } }],
    [['a='], { a: { equals: '' } }],
    [['a=1', 'a=2', 'a=3'], { a: { oneOf: [1, 2, 3] } }],
  ])('%j', (texts, conditions) => {
    expect(conditionsOf(texts)).toEqual(conditions);
  });
});
