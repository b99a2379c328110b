import { describe, expect, it } from 'vitest';
import { compact, expand } from '../../src/lock/compact.js';
import {
  changesBetween,
  isChanged,
  reasonsToReview,
  type Described,
} from '../../src/lock/changes.js';
import { hostsIn } from '../../src/lock/hosts.js';
import type { Lock, LockedPlugin } from '../../src/lock/lock.js';
import { formatLock, parseLock } from '../../src/lock/lock-text.js';
import { NO_PERMISSIONS } from '../../src/permissions/permissions.js';

const plugin: LockedPlugin = {
  format: 'pandora',
  source: './plugins/one',
  version: '1.0.0',
  bundles: { tools: 'sha512-x' },
  kept: `sha256-${'a'.repeat(64)}`,
  granted: { network: ['a.test', 'b.test'], time: true },
  tools: { say: { risk: 'low', description: '1', schema: '2' } },
  hosts: ['a.test'],
  by: 'ada',
  at: '2026-01-01T00:00:00.000Z',
};
const lock: Lock = { version: 1, plugins: { one: plugin } };

describe('the text of a lock', () => {
  it('is read to what was written', () => {
    expect(parseLock(formatLock(lock))).toEqual({ ok: true, value: lock });
    const earlier: Lock = {
      version: 1,
      plugins: { one: { ...plugin, disabled: true, earlier: [] } },
    };
    const { earlier: _, ...without } = { ...plugin, disabled: true as const, earlier: [] };
    expect(parseLock(formatLock(earlier))).toEqual({
      ok: true,
      value: { ...lock, plugins: { one: without } },
    });
  });

  it('is the same whatever the order in which plugins were added', () => {
    const one = formatLock({ version: 1, plugins: { a: plugin, b: plugin } });
    expect(formatLock({ version: 1, plugins: { b: plugin, a: plugin } })).toBe(one);
  });

  it('keeps a plugin whose id every object has', () => {
    const odd: Lock = JSON.parse(`{"version":1,"plugins":{"__proto__":${JSON.stringify(plugin)}}}`);
    expect(Object.keys(odd.plugins)).toEqual(['__proto__']);
    expect(formatLock(odd)).toContain('"__proto__": {');
    const read = parseLock(formatLock(odd));
    expect(read.ok && Object.keys(read.value.plugins)).toEqual(['__proto__']);
  });

  it.each([
    ['no JSON', '{', /not JSON/],
    ['another version', '{"version":2,"plugins":{}}', /version/],
    ['a kind of permission that is none', { granted: { internet: true } }, /internet: is no kind/],
    ['a scope that is no text', { granted: { network: [1] } }, /network/],
    ['a scope that is too wide', { granted: { network: ['*'] } }, /network\[0\]/],
    ['an address that is none', { kept: '../../etc/passwd' }, /kept/],
    ['a word that nobody knows', { grants: {} }, /grants: is not known/],
    ['a time that is none', { at: 'now' }, /at/],
    ['a mark that is not true', { unconfined: 'yes' }, /unconfined/],
  ])('is refused with %s', (_, content, message) => {
    const text =
      typeof content === 'string'
        ? content
        : JSON.stringify({ version: 1, plugins: { one: { ...plugin, ...content } } });
    const read = parseLock(text);
    expect(read.ok ? '' : read.problems.join()).toMatch(message);
  });
});

it('permissions are written by the words of manifests, and only those that are held', () => {
  const held = { ...NO_PERMISSIONS, time: true, filesystem: ['notes'], environment: ['B', 'A'] };
  expect(compact(held)).toEqual({ time: true, env: ['A', 'B'], fs: ['notes'] });
  expect(expand(compact(held))).toEqual({ ...held, environment: ['A', 'B'] });
});

describe('hosts that code names', () => {
  it('are found in its addresses, each once, sorted', () => {
    const code = "fetch('https://b.test/x'); const u = `http://a.test:80/${q}`; 'wss://B.test'";
    expect(hostsIn(code)).toEqual(['a.test', 'b.test']);
  });

  it('are found in time that grows with the code', () => {
    expect(hostsIn('https://'.repeat(200_000))).toEqual([]);
    expect(hostsIn(`https://${'a-'.repeat(200_000)}`).length).toBeLessThanOrEqual(1);
  });
});

describe('changes', () => {
  const { by: _, at: __, format: ___, source: ____, ...before } = plugin;
  const reasonsFor = (changed: Partial<Described>): readonly string[] =>
    reasonsToReview(changesBetween(before, { ...before, kept: 'other', ...changed }));

  it('are none where nothing changed', () => {
    expect(isChanged(changesBetween(before, before))).toBe(false);
  });

  it('to something that nobody sees are told as such', () => {
    const changes = changesBetween(before, { ...before, kept: 'other' });
    expect(changes.manifest).toBe(true);
    expect(isChanged(changes)).toBe(true);
  });

  it.each<[string, Partial<Described>, RegExp]>([
    ['another permission', { granted: { ...before.granted, random: true } }, /asks for more/],
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
    ['another host in its code', { hosts: ['a.test', 'c.test'] }, /names a host.*c\.test/],
    ['host mode', { unconfined: true }, /without a compartment/],
    ['a tool that asked', { tools: {} }, /^$/],
  ])('%s: are for somebody to look at where they make it wider', (_name, changed, message) => {
    expect(reasonsFor(changed).join()).toMatch(message);
  });

  it('to a milder word of its author are for somebody to look at', () => {
    const high = { say: { risk: 'high', asks: true, description: '1', schema: '2' } } as const;
    const reasons = reasonsToReview(changesBetween({ ...before, tools: high }, before));
    expect(reasons).toEqual(['its tool say calls itself less risky, or asks no longer']);
  });

  it('compare with what it declared, where it was granted less', () => {
    const declared = { network: ['a.test', 'b.test', 'c.test'], time: true } as const;
    const changes = changesBetween({ ...before, declared }, { ...before, granted: declared });
    expect(changes.permissions).toEqual({ wider: [], narrower: [] });
  });
});
