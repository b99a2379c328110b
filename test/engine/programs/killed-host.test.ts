import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { openApprovals } from '../../../src/entry-points/approval.js';
import type { ProgramCall, ProgramResult, ProgramStatus } from '../../../src/index.js';
import { makeDirectory } from '../plugin-on-disk.js';

const HOST = fileURLToPath(new URL('host.ts', import.meta.url));
const hosts: ChildProcess[] = [];

interface Told {
  readonly ready?: true;
  readonly programs?: readonly ProgramStatus[];
  readonly asked?: string;
  readonly input?: { readonly to: string };
  readonly hangs?: string;
  readonly state?: ProgramCall['state'];
  readonly result?: ProgramResult;
  readonly error?: string;
}

/** A host that can be killed, and what it said so far. */
class Host {
  readonly #process: ChildProcess;
  readonly #told: Told[] = [];
  readonly #waiting: (() => void)[] = [];

  constructor(storage: string, effects: string) {
    this.#process = fork(HOST, [storage, effects], {
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    hosts.push(this.#process);
    const hear = (message: Told): void => {
      this.#told.push(message);
      for (const wake of this.#waiting.splice(0)) wake();
    };
    this.#process.on('message', hear);
    this.#process.on('exit', (code) => hear({ error: `exited with ${String(code)}` }));
  }

  async wait(fits: (told: Told) => boolean): Promise<Told> {
    for (;;) {
      const found = this.#told.find(fits);
      if (found !== undefined) return found;
      const failed = this.#told.find(({ error }) => error !== undefined);
      if (failed !== undefined) throw new Error(failed.error);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  send(order: object): void {
    this.#process.send(order);
  }

  /** The question about that call, once it is asked. */
  async questionFor(to: string): Promise<string> {
    const { asked = '' } = await this.wait(
      (told) => told.asked !== undefined && told.input?.to === to,
    );
    return asked;
  }

  /** Waits until that call has its result in the log. */
  async done(to: string): Promise<void> {
    await this.wait(({ state, input }) => state === 'done' && input?.to === to);
  }

  async kill(): Promise<void> {
    const gone = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill('SIGKILL');
    await gone;
  }
}

afterEach(() => {
  for (const host of hosts.splice(0)) host.kill('SIGKILL');
});

function setUp() {
  const storage = join(makeDirectory(), 'storage');
  const effects = join(makeDirectory(), 'effects');
  return {
    start: async () => {
      const host = new Host(storage, effects);
      const { programs = [] } = await host.wait(({ ready }) => ready === true);
      return { host, programs };
    },
    approve: (id: string) =>
      openApprovals(storage).answer(id, { verdict: 'once', by: 'ann', approver: 'person' }),
    effects: () => {
      try {
        return readFileSync(effects, 'utf8').trim().split('\n');
      } catch {
        return [];
      }
    },
  };
}

describe('a program whose host is killed', () => {
  it('has every approved effect exactly once, with the host killed between the answers', async () => {
    const { start, approve, effects } = setUp();
    const { host: first } = await start();
    first.send({
      source: `const all = await Promise.all(['a', 'b', 'c'].map(async (to) => {
        const said = await tools.host.send({ to });
        text(to);
        return said;
      }));
      return all;`,
    });
    const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((to) => first.questionFor(to)));
    await approve(b ?? '');
    await first.done('b');
    await first.kill();

    const { host: second, programs } = await start();
    expect(programs).toMatchObject([{ state: 'interrupted', calls: [{}, {}, {}] }]);
    const id = programs[0]?.id ?? '';
    second.send({ resume: id });
    await approve(a ?? '');
    await second.done('a');
    await second.kill();

    const { host: third } = await start();
    // Answered before the program runs again.
    await approve(c ?? '');
    third.send({ resume: id });
    const { result } = await third.wait((told) => told.result !== undefined);
    expect(result).toMatchObject({
      isError: false,
      value: ['sent to "a"', 'sent to "b"', 'sent to "c"'],
      text: 'bac',
    });
    expect(effects()).toEqual(['send "b"', 'send "a"', 'send "c"']);
  });

  it('reports a call that was in flight as unknown, and does not run it again', async () => {
    const { start, effects } = setUp();
    const { host } = await start();
    host.send({
      source: `const first = await tools.host.again({ to: 'x' });
      try { await tools.host.hang({ to: 'y' }); } catch (error) { return [first, error.code]; }`,
    });
    await host.wait(({ hangs }) => hangs === 'y');
    await host.kill();
    const { host: next, programs } = await start();
    expect(programs[0]?.calls).toMatchObject([{ state: 'done' }, { state: 'unknown' }]);
    next.send({ resume: programs[0]?.id });
    const { result } = await next.wait((told) => told.result !== undefined);
    expect(result).toMatchObject({
      value: ['sent to "x"', 'CALL_UNKNOWN'],
      calls: [{ state: 'done' }, { state: 'unknown' }],
    });
    expect(effects()).toEqual(['again "x"', 'hang "y"']);
  });
});
