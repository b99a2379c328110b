/** What becomes of a client's subscriptions if the guest of the server ends. */
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/index.js';
import { makeServer, plainProgram } from './mcp-on-disk.js';
import { startEngine } from './plugin-on-disk.js';

/** A server whose tool ends it, and that lists what its clients asked it for. */
function program(version: number, onSubscribe = ''): string {
  return plainProgram(
    `if (name === 'end') process.exit(0);
     return text(JSON.stringify(globalThis.wanted));`,
    `listed = ['run', 'end'].map((name) => ({ name, inputSchema: { type: 'object' } }));
     globalThis.wanted = [${version}];
     process.stdin.on('data', (chunk) => {
       for (const line of String(chunk).split('\\n').filter(Boolean)) {
         const { id, method, params } = JSON.parse(line);
         if (!/^resources.(un)?subscribe$|^logging/.test(method)) continue;
         wanted.push(params.uri ?? params.level);
         send({ id, result: {} });
         ${onSubscribe}
       }
     });`,
  );
}

async function wanted(engine: Engine): Promise<unknown> {
  const [block] = (await engine.call('run', {})).content;
  return block?.type === 'text' ? JSON.parse(block.text) : block;
}

const { signal } = new AbortController();

describe('the subscriptions of clients', () => {
  it('are renewed on a fresh guest, which starts without a call', async () => {
    const engine = await startEngine([makeServer({ program: program(1) })], {
      tolerance: 'full',
      // A guest that ends itself is not suspended before, however soon idle ones are.
      limits: { suspendAfterMs: 10 },
    });
    const [source] = engine.mcpSources();
    const end = await source?.subscribe('x:1', signal);
    const other = await source?.subscribe('x:2', signal);
    await source?.setLogLevel('warning', signal);
    expect(await wanted(engine)).toEqual([1, 'x:1', 'x:2', 'warning']);
    await other?.();
    const notices: unknown[] = [];
    source?.onNotice((notice) => void notices.push(notice));
    const loads: unknown[] = [];
    engine.on((event) => void loads.push(event), ['plugin-loaded']);
    await engine.call('end', {}).catch(() => {});
    // The client gets a notice to read again, because the resource may have changed meanwhile.
    await expect
      .poll(() => notices, { timeout: 20_000 })
      .toEqual([{ type: 'resource-updated', uri: 'x:1' }]);
    expect(loads).toHaveLength(1);
    expect(new Set((await wanted(engine)) as unknown[])).toEqual(new Set([1, 'x:1', 'warning']));
    await end?.();
    await engine.call('end', {}).catch(() => {});
    // A call that comes while the guest ends fails.
    await expect.poll(() => wanted(engine).catch(() => undefined)).toEqual([1, 'warning']);
    await engine.close();
  });

  it('are renewed when other code of the server was loaded', async () => {
    const directory = makeServer({ program: program(1) });
    const engine = await startEngine([directory], { tolerance: 'full' });
    const [source] = engine.mcpSources();
    await source?.subscribe('x:1', signal);
    makeServer({ program: program(2) }, directory);
    await engine.reload();
    await expect.poll(() => wanted(engine), { timeout: 20_000 }).toEqual([2, 'x:1']);
    await engine.close();
  });

  it('do not restart a server in a tight loop that ends at each of them', async () => {
    const engine = await startEngine(
      [makeServer({ program: program(1, 'if (globalThis.ready) process.exit(0);') })],
      { tolerance: 'full' },
    );
    const [source] = engine.mcpSources();
    await source?.subscribe('x:1', signal);
    const ends: number[] = [];
    engine.on(({ atMs }) => void ends.push(atMs), ['guest-ended']);
    const directory = makeServer({ program: program(1, 'process.exit(0);') });
    await engine.reload({ plugins: [directory] });
    await expect.poll(() => ends.length, { timeout: 120_000 }).toBeGreaterThan(3);
    const gaps = ends.slice(2).map((at, index) => at - (ends[index + 1] ?? 0));
    expect(gaps.at(-1)).toBeGreaterThan(900);
    await engine.close();
  });
});
