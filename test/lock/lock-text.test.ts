import { describe, expect, it } from 'vitest';
import { compact, expand } from '../../src/lock/compact.js';
import {
  type Described,
  changesBetween,
  hostsIn,
  isChanged,
  reasonsToReview,
} from '../../src/lock/changes.js';
import { type Lock, type LockedPlugin, formatLock, parseLock } from '../../src/lock/lock.js';
import { NO_PERMISSIONS } from '../../src/permissions/permissions.js';

const plugin: LockedPlugin = {
  format: 'pandora',
  source: './plugins/one',
  version: '1.0.0',
  bundles: { tools: 'sha512-x' },
  artifact: `sha512-${'a'.repeat(86)}==`,
  granted: { network: ['a.test', 'b.test'], time: true },
  tools: { say: { risk: 'low', description: '1', schema: '2', hints: '3' } },
  hosts: ['a.test'],
  by: 'ada',
  at: '2026-01-01T00:00:00.000Z',
};
const lock: Lock = { version: 2, plugins: { one: plugin } };

describe('the text of a lock file', () => {
  it('is read back unchanged', () => {
    expect(parseLock(formatLock(lock))).toEqual({ ok: true, value: lock });
    const previous: Lock = {
      version: 2,
      plugins: { one: { ...plugin, disabled: true, previous: [] } },
    };
    const { previous: _, ...without } = { ...plugin, disabled: true as const, previous: [] };
    expect(parseLock(formatLock(previous))).toEqual({
      ok: true,
      value: { ...lock, plugins: { one: without } },
    });
  });

  it('does not depend on the order in which plugins were added', () => {
    const one = formatLock({ version: 2, plugins: { a: plugin, b: plugin } });
    expect(formatLock({ version: 2, plugins: { b: plugin, a: plugin } })).toBe(one);
  });

  it('can contain a plugin with the id __proto__', () => {
    const odd: Lock = JSON.parse(`{"version":1,"plugins":{"__proto__":${JSON.stringify(plugin)}}}`);
    expect(Object.keys(odd.plugins)).toEqual(['__proto__']);
    expect(formatLock(odd)).toContain('"__proto__": {');
    const read = parseLock(formatLock(odd));
    expect(read.ok && Object.keys(read.value.plugins)).toEqual(['__proto__']);
  });

  it.each([
    ['text that is not JSON', '{', /not JSON/],
    ['version 1, with how to create version 2', '{"version":1}', /bulkhead add DIRECTORY/],
    ['a later version', '{"version":3,"plugins":{}}', /version/],
    ['an unknown kind of permission', { granted: { internet: true } }, /internet: is not a kind/],
    ['a scope that is not a text', { granted: { network: [1] } }, /network/],
    ['a scope that is too wide', { granted: { network: ['*'] } }, /network\[0\]/],
    ['an invalid address', { artifact: '../../etc/passwd' }, /artifact/],
    ['an unknown field', { grants: {} }, /grants: is not known/],
    ['an invalid time', { at: 'now' }, /at/],
    ['a mark that is not true', { unconfined: 'yes' }, /unconfined/],
  ])('is refused with %s', (_, content, message) => {
    const text =
      typeof content === 'string'
        ? content
        : JSON.stringify({ version: 2, plugins: { one: { ...plugin, ...content } } });
    const read = parseLock(text);
    expect(read.ok ? '' : read.problems.join()).toMatch(message);
  });
});

it('compact writes only granted permissions, by their manifest names', () => {
  const granted = { ...NO_PERMISSIONS, time: true, fs: ['notes'], env: ['B', 'A'] };
  expect(compact(granted)).toEqual({ time: true, env: ['A', 'B'], fs: ['notes'] });
  expect(expand(compact(granted))).toEqual({ ...granted, env: ['A', 'B'] });
});

describe('hostsIn', () => {
  it('finds the hosts of URLs, each once, sorted', () => {
    const code = "fetch('https://b.test/x'); const u = `http://a.test:80/${q}`; 'wss://B.test'";
    expect(hostsIn(code)).toEqual(['a.test', 'b.test']);
  });

  it('takes linear time', () => {
    expect(hostsIn('https://'.repeat(200_000))).toEqual([]);
    expect(hostsIn(`https://${'a-'.repeat(200_000)}`).length).toBeLessThanOrEqual(1);
  });
});

describe('changesBetween', () => {
  const { by: _, at: __, format: ___, source: ____, ...before } = plugin;
  const reasonsFor = (changed: Partial<Described>): readonly string[] =>
    reasonsToReview(changesBetween(before, { ...before, artifact: 'other', ...changed }));

  it('finds nothing between equal versions', () => {
    expect(isChanged(changesBetween(before, before))).toBe(false);
  });

  it('counts another signing key, and none, as a wider request', () => {
    const signedBy = (id: string): Described => ({ ...before, signer: { id, publicKey: 'x' } });
    const reasons = (from: Described, to: Described): readonly string[] =>
      reasonsToReview(changesBetween(from, to));
    expect(reasons(signedBy('a'), signedBy('a'))).toEqual([]);
    expect(reasons(signedBy('a'), signedBy('b'))).toEqual(['it is signed by b instead of a']);
    expect(reasons(signedBy('a'), before)).toEqual(['it is not signed any more (before: a)']);
    expect(reasons(before, signedBy('a'))).toEqual(['it is signed by a']);
  });

  it('has the changed texts of a tool, and no other', () => {
    const texts = { title: 'T', description: 'old', schema: '{}', hints: '{}' };
    const tool = { risk: 'low', description: '1', schema: '2', hints: '3' } as const;
    const changes = changesBetween(
      { ...before, tools: { say: { ...tool, texts } } },
      {
        ...before,
        tools: { say: { ...tool, description: '9', texts: { ...texts, description: 'new' } } },
      },
    );
    expect(changes.tools.changed).toEqual([
      {
        tool: 'say',
        what: ['description'],
        lessStrict: false,
        texts: [{ part: 'description', before: 'T\nold', after: 'T\nnew' }],
      },
    ]);
  });

  it('reports a change of the manifest that no other member shows', () => {
    const changes = changesBetween(before, { ...before, artifact: 'other' });
    expect(changes.manifest).toBe(true);
    expect(isChanged(changes)).toBe(true);
  });

  it.each<[string, Partial<Described>, RegExp]>([
    ['another permission', { granted: { ...before.granted, random: true } }, /requests more/],
    [
      'another host that it may reach',
      { granted: { network: ['a.test', 'b.test', 'c.test'], time: true } },
      /c\.test/,
    ],
    [
      'a wider one',
      { granted: { network: ['*.b.test', 'a.test', 'b.test'], time: true } },
      /subdomain/,
    ],
    ['another host in its code', { hosts: ['a.test', 'c.test'] }, /names a new host.*c\.test/],
    ['host mode', { unconfined: true }, /without a compartment/],
    ['a removed tool', { tools: {} }, /^$/],
  ])('%s: needs a review only if it adds access', (_name, changed, message) => {
    expect(reasonsFor(changed).join()).toMatch(message);
  });

  it('requires a review of a lower declared risk', () => {
    const high = {
      say: { risk: 'high', requiresApproval: true, description: '1', schema: '2', hints: '3' },
    } as const;
    const reasons = reasonsToReview(changesBetween({ ...before, tools: high }, before));
    expect(reasons).toEqual(['its tool say declares a lower risk, or no longer requires approval']);
  });

  it('compares declared permissions, also if fewer were granted', () => {
    const declared = { network: ['a.test', 'b.test', 'c.test'], time: true } as const;
    const changes = changesBetween({ ...before, declared }, { ...before, granted: declared });
    expect(changes.permissions).toEqual({ wider: [], narrower: [] });
  });
});
