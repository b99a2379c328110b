import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/index.js';
import { serve } from '../../escape/servers.js';
import { makePlugin, startEngine } from '../plugin-on-disk.js';

/** Tries everything, and tells what it may: `wide` asks for all that is declared, `narrow` for less. */
const source = `
  const attempt = async (use) => { try { await use(); return true } catch { return false } };
  const ask = (host) => () => globalThis.fetch('http://' + host + '.example.com/');
  const tryAll = async () => ({
    time: await attempt(() => Date.now()),
    random: await attempt(() => Math.random()),
    fs: await attempt(() => globalThis.readFile('index.ts')),
    a: await attempt(ask('a')),
    b: await attempt(ask('b')),
  });
  const tool = (id, more) => ({ id, name: id, description: id, annotations: { readOnlyHint: true }, ...more, execute: tryAll });
  export const tools = [
    tool('wide', {}),
    tool('narrow', { permissions: { time: true, network: ['a.example.com'] } }),
  ];`;

const ALL = '*.example.com';

/** What is granted, as a person would keep account of it. */
interface Account {
  readonly held: Set<string>;
  readonly hosts: Set<string>;
}

const account: Account = { held: new Set(), hosts: new Set() };
let engine: Engine;

beforeAll(async () => {
  const site = await serve((_request, response) => response.end('ok'));
  engine = await startEngine(
    [
      makePlugin({
        id: 'p',
        permissions: { time: true, random: true, fs: ['.'], network: [ALL] },
        source,
      }),
    ],
    {
      grant: 'nothing',
      network: {
        overrides: ['a', 'b'].map((host) => ({ host: `${host}.example.com`, url: site.url })),
      },
    },
  );
});
afterAll(() => engine.close());

const change = fc.record({
  to: fc.constantFrom('grant' as const, 'revoke' as const),
  what: fc.constantFrom(
    'time',
    'random',
    'fs',
    'network',
    `network:${ALL}`,
    'network:a.example.com',
    'network:b.example.com',
  ),
  reload: fc.boolean(),
});

function keepAccount({
  to,
  what,
}: {
  readonly to: 'grant' | 'revoke';
  readonly what: string;
}): void {
  const { held, hosts } = account;
  if (!what.startsWith('network')) {
    if (to === 'grant') held.add(what);
    else held.delete(what);
    return;
  }
  const host = what.split(':')[1] ?? ALL;
  if (to === 'grant') hosts.add(host);
  else {
    for (const one of hosts) if (host === ALL || one === ALL || one === host) hosts.delete(one);
  }
}

function expected(tool: 'wide' | 'narrow'): Readonly<Record<string, boolean>> {
  const { held, hosts } = account;
  const reaches = (host: string): boolean => hosts.has(`${host}.example.com`) || hosts.has(ALL);
  const isWide = tool === 'wide';
  return {
    time: held.has('time'),
    random: isWide && held.has('random'),
    fs: isWide && held.has('fs'),
    a: reaches('a'),
    b: isWide && reaches('b'),
  };
}

describe('a tool', () => {
  it('has exactly its remaining permissions after any grants and revocations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        for (const one of changes) {
          await engine[one.to]('p', one.what);
          keepAccount(one);
          if (one.reload && one.what === 'time') await engine.reload();
          for (const tool of ['wide', 'narrow'] as const) {
            const { value } = await engine.call(`p:${tool}`, {});
            expect([changes, tool, value]).toEqual([changes, tool, expected(tool)]);
          }
        }
      }),
      // A counterexample is told as it is found: what came before cannot be taken back to shrink it.
      { numRuns: 12, endOnFailure: true },
    );
  }, 120_000);
});
