import { describe, expect, it } from 'vitest';
import { fits, meetsAll, type Rule } from '../../src/approval/rule.js';
import { conditionsFor, proposeRule } from '../../src/approval/scope.js';
import { mayHoldSecret } from '../../src/approval/secret-shape.js';
import { folderOf, isUnder } from '../../src/approval/under.js';

const question = {
  plugin: 'notes',
  tool: 'write',
  bundle: 'sha512-abc',
  tenant: 'acme',
  risk: 'medium' as const,
  kind: 'call' as const,
};

describe('the conditions that an answer covers', () => {
  it('keep what is the same, stay in a folder, and leave free text', () => {
    expect(
      conditionsFor([{ path: 'notes/1.md', text: 'Some words', limit: 10, to: 'a@b.example' }]),
    ).toEqual({
      path: { under: 'notes/' },
      limit: { equals: 10 },
      to: { equals: 'a@b.example' },
    });
  });

  it('leave what differs between questions that are answered together', () => {
    const inputs = [
      { repo: 'acme/heat', number: 41, body: 'one' },
      { repo: 'acme/heat', number: 42, body: 'two' },
    ];
    const conditions = conditionsFor(inputs);
    expect(conditions).toEqual({ repo: { equals: 'acme/heat' } });
    expect(meetsAll({ repo: 'acme/heat', number: 7, body: 'x' }, conditions)).toBe(true);
    expect(meetsAll({ repo: 'acme/payroll', number: 41, body: 'one' }, conditions)).toBe(false);
    const files = [{ at: 'notes/1.md' }, { at: 'notes/2.md' }];
    expect(conditionsFor(files)).toEqual({ at: { under: 'notes/' } });
  });

  it('leave the number of a thing in something that is named, and no amount', () => {
    expect(conditionsFor([{ repo: 'acme/heat', number: 41, body: 'some words' }])).toEqual({
      repo: { equals: 'acme/heat' },
    });
    expect(conditionsFor([{ number: 41 }])).toEqual({ number: { equals: 41 } });
    expect(conditionsFor([{ to: 'ann', amount: 41, limit: 3 }])).toEqual({
      to: { equals: 'ann' },
      amount: { equals: 41 },
      limit: { equals: 3 },
    });
  });

  it('list names and addresses that differ, and leave plain words', () => {
    expect(
      conditionsFor([
        { to: 'ann@firm.example', repo: 'acme/heat', city: 'Oslo' },
        { to: 'bob@firm.example', repo: 'acme/cold', city: 'Bergen' },
      ]),
    ).toEqual({
      to: { oneOf: ['ann@firm.example', 'bob@firm.example'] },
      repo: { oneOf: ['acme/heat', 'acme/cold'] },
    });
  });

  it('do not exist for an input whose members have no path', () => {
    expect(conditionsFor(['text'])).toBeUndefined();
    expect(conditionsFor([{ 'a.b': 1 }])).toBeUndefined();
    expect(
      conditionsFor([Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`m${i}`, i]))]),
    ).toBeUndefined();
  });

  it.each([
    ['notes/1.md', 'notes/', true],
    ['notes/deep/1.md', 'notes/', true],
    ['notes-2/1.md', 'notes/', false],
    ['../rules.json', 'notes/', false],
    ['notes/../rules.json', 'notes/', false],
    ['notes/./1.md', 'notes/', false],
    ['notes//1.md', 'notes/', false],
    ['notes\\..\\rules.json', 'notes/', false],
    ['notes/%2e%2e/rules.json', 'notes/', false],
    ['/notes/1.md', 'notes/', false],
    ['notes', 'notes/', false],
    ['https://api.example/v1/a', 'https://api.example/v1/', true],
    ['https://api.example/v1', 'https://api.example/v1/', false],
    ['https://api.example.evil.example/v1/a', 'https://api.example/v1/', false],
    ['https://api.example@evil.example/v1/a', 'https://api.example/v1/', false],
    ['https://api.example:8443/v1/a', 'https://api.example/v1/', false],
    ['http://api.example/v1/a', 'https://api.example/v1/', false],
    ['https://api.example/v1/../admin/a', 'https://api.example/v1/', false],
    ['https://api.example/v1/%2e%2e/admin', 'https://api.example/v1/', false],
    ['https:/\\evil.example/v1/a', 'https://api.example/v1/', false],
  ])('compare %j with the folder %j: %j', (text, folder, is) => {
    expect(isUnder(text, folder)).toBe(is);
  });

  it('find the folder of paths and URLs alone', () => {
    expect(folderOf('heat-pumps/01.md')).toBe('heat-pumps/');
    expect(folderOf('https://api.example/v1/search')).toBe('https://api.example/v1/');
    for (const text of [
      '01.md',
      '../x.md',
      'heat pumps / cost',
      'https://api.example/',
      '',
      'a/../b',
    ]) {
      expect(folderOf(text)).toBeUndefined();
    }
  });
});

describe('a proposed rule', () => {
  it('is for one tool, one artifact, one tenant, without credentials, for a week', () => {
    const rule = proposeRule(
      question,
      { limit: { equals: 10 } },
      Date.parse('2026-11-23T10:00:00Z'),
    );
    expect(rule).toEqual({
      id: 'proposed',
      verdict: 'allow',
      plugin: 'notes',
      tool: 'write',
      bundle: 'sha512-abc',
      tenant: 'acme',
      input: { limit: { equals: 10 } },
      withoutSecrets: true,
      until: '2026-11-30T10:00:00Z',
    });
  });

  it('is never for high risk, for a request, or for a name with a wildcard', () => {
    expect(proposeRule({ ...question, risk: 'high' }, {}, 0)).toBeUndefined();
    expect(proposeRule({ ...question, kind: 'effect' }, {}, 0)).toBeUndefined();
    expect(proposeRule({ ...question, tool: '*' }, {}, 0)).toBeUndefined();
  });

  it('does not apply to an input that looks like it holds a credential', () => {
    const rule: Rule = {
      id: 'r',
      verdict: 'allow',
      plugin: 'notes',
      tool: 'write',
      bundle: '*',
      withoutSecrets: true,
    };
    const about = { plugin: 'notes', tool: 'write', bundle: 'sha512-abc' };
    expect(fits(rule, { ...about, input: { body: 'Finding 1: see notes.' } }, 0)).toBe(true);
    expect(fits(rule, { ...about, input: { body: 'API_KEY=9f3c' } }, 0)).toBe(false);
    expect(
      fits({ ...rule, withoutSecrets: false }, { ...about, input: { body: 'API_KEY=9f3c' } }, 0),
    ).toBe(true);
  });

  it.each([
    'OPENWEATHER_API_KEY=9f3c',
    'the password: hunter2',
    `ghp_${'a'.repeat(36)}`,
    `sk-ant-${'a'.repeat(24)}`,
    '-----BEGIN OPENSSH PRIVATE KEY-----',
    'postgres://u:p@host/db',
    'Authorization: Bearer abcdefghijklmnop',
  ])('takes %j for a credential', (text) => {
    expect(mayHoldSecret({ deep: [{ text }] })).toBe(true);
  });

  it.each(['heat pumps Oslo', 'The keynote is at ten', 'a password manager', '2026-11-23'])(
    'takes %j for text',
    (text) => {
      expect(mayHoldSecret({ text })).toBe(false);
    },
  );
});
