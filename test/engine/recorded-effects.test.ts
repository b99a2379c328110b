import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeJsonlStore } from '../../src/audit/disk/jsonl-store.js';
import type { AuditStore } from '../../src/audit/store.js';
import type { EngineOptions } from '../../src/index.js';
import { makeDirectory, makePlugin, startEngine } from './plugin-on-disk.js';

const reached: string[] = [];
let server: Server;
let url = '';
beforeAll(async () => {
  server = createServer((request, response) => {
    reached.push(request.method ?? '');
    response.end('ok');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  reached.length = 0;
});

/** A log on a disk that the test can fill. */
function makeDisk(): { full: boolean; readonly written: string[]; readonly store: AuditStore } {
  const store = makeJsonlStore(join(makeDirectory(), 'audit.jsonl'));
  const disk = {
    full: false,
    written: [] as string[],
    store: {
      ...store,
      append: async (...[records, durable]: Parameters<AuditStore['append']>) => {
        if (disk.full) throw new Error('no space left');
        await store.append(records, durable);
        disk.written.push(...records.map(({ record }) => record.type));
      },
    },
  };
  return disk;
}

const look = (body: string, permissions: object): string =>
  makePlugin({
    id: 'reader',
    permissions,
    source: `export const tools = [{ id: 'look', name: 'n', description: 'd',
      annotations: { readOnlyHint: true }, execute: async () => { ${body}; return 'done' } }]`,
  });

/** A tool of low risk by the operator's word, so that its call itself waits for no record. */
const trusted = { trustHints: ['reader'] } satisfies Partial<EngineOptions>;
const post = `await fetch('http://api.test/x', { method: 'POST', body: 'b' })`;

describe('an effect whose record cannot be written does not happen', () => {
  const network = () => ({ overrides: [{ host: 'api.test', url }] });

  it('a held write that was approved', async () => {
    const disk = makeDisk();
    const engine = await startEngine([look(post, { network: ['api.test'] })], {
      audit: { store: disk.store },
      network: network(),
      approve: () => {
        disk.full = true;
        return 'once';
      },
    });
    const refused = await engine.call('look', {});
    expect(refused).toMatchObject({ isError: true, code: 'EFFECT_DENIED' });
    expect(reached).toEqual([]);
    disk.full = false;
    await engine.audit.flush();
    expect(disk.written).toContain('approval-given');
  });

  it('a held write waits until its answer is written', async () => {
    const disk = makeDisk();
    const before: string[] = [];
    const engine = await startEngine([look(post, { network: ['api.test'] })], {
      audit: { store: disk.store },
      network: network(),
      approve: () => 'once',
    });
    const answer = (): void => void before.push(...disk.written);
    server.prependOnceListener('request', answer);
    expect(await engine.call('look', {})).toMatchObject({ value: 'done' });
    expect(reached).toEqual(['POST']);
    expect(before).toContain('approval-given');
  });

  it('a write that no tool announced, with effects: audit', async () => {
    const disk = makeDisk();
    const engine = await startEngine([look(post, { network: ['api.test'] })], {
      audit: { store: disk.store },
      network: network(),
      effects: 'audit',
      onEvent: ({ type }) => {
        if (type === 'effect-undeclared') disk.full = true;
      },
    });
    const refused = await engine.call('look', {});
    expect(refused).toMatchObject({ isError: true, code: 'EFFECT_DENIED' });
    expect(reached).toEqual([]);
  });

  it('a write of a tool whose hints the operator trusts', async () => {
    const disk = makeDisk();
    const engine = await startEngine([look(post, { network: ['api.test'] })], {
      audit: { store: disk.store },
      network: network(),
      ...trusted,
    });
    expect(engine.catalog.list()[0]?.risk).toBe('low');
    expect(await engine.call('look', {})).toMatchObject({ value: 'done' });
    disk.full = true;
    expect(await engine.call('look', {})).toMatchObject({ isError: true });
    expect(reached).toEqual(['POST']);
  });

  it.each([
    ['a change of a file', (file: string) => `writeFile(${JSON.stringify(file)}, 'x')`],
    ['a power that changes something', () => 'powers.mailer({})'],
  ])('%s, by code that runs outside of calls', async (_, act) => {
    const disk = makeDisk();
    const directory = makeDirectory();
    const used: string[] = [];
    const file = join(directory, 'a.txt');
    const power = (name: string, risk: 'low' | 'medium') => ({
      name,
      risk,
      handler: () => used.push(name),
    });
    const settled: string[] = [];
    await startEngine(
      [
        makePlugin({
          id: 'reader',
          permissions: { fs: [`${directory}:rw`], powers: ['mailer', 'clock', 'told'] },
          source: `import { writeFile } from 'node:fs/promises';
            powers.clock({})
              .then(() => ${act(file)})
              .then(() => powers.told({ how: 'done' }), ({ code }) => powers.told({ how: code }));
            export const tools = [];`,
        }),
      ],
      {
        audit: { store: disk.store },
        onEvent: ({ type }) => {
          if (type === 'guest-started') disk.full = true;
        },
        powers: [
          power('mailer', 'medium'),
          power('clock', 'low'),
          {
            name: 'told',
            risk: 'low',
            handler: (how) => settled.push(JSON.stringify(how)),
          },
        ],
      },
    );
    await expect.poll(() => settled).toEqual(['{"how":"EFFECT_DENIED"}']);
    expect(used).toEqual(['clock']);
    expect(existsSync(file)).toBe(false);
  });
});
