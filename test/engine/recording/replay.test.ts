import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '../../../src/engine/recording/recording.js';
import type { CallRecording } from '../../../src/engine/types/recording.js';
import type { Engine, EngineOptions } from '../../../src/index.js';
import { makePlugin, startEngine } from '../plugin-on-disk.js';
import { makeVellum } from '../vellum-on-disk.js';

/** Uses everything that differs from run to run, in an order that does, too. */
const CHANCE = `async (input, { logger }) => {
  const words = [];
  const note = (word) => { words.push(word); logger.info(word); };
  note('random ' + Math.random() + ' ' + Math.random());
  note('time ' + Date.now() + ' ' + performance.now());
  const end = Date.now() + 15;
  let loops = 0;
  while (Date.now() < end) loops += 1;
  note('loops ' + loops);
  const pause = (ms, word) => new Promise((resolve) => setTimeout(() => { note(word + ' ' + performance.now()); resolve(); }, ms));
  const cleared = setTimeout(() => note('never'), 5);
  const ticks = setInterval(() => note('tick'), 7);
  await Promise.all([pause(10, 'a'), pause(9, 'b'), pause(Math.random() * 20, 'c'),
    ...[1, 2, 3].map(async (n) => {
      const answer = await fetch('http://chance.test/' + n);
      note('answer ' + n + ' ' + answer.headers.get('x-random') + ' ' + (await answer.text()).length);
    }), pause(2, 'd').then(() => clearTimeout(cleared))]);
  clearInterval(ticks);
  note('file ' + await readFile('data/a.txt'));
  note('env ' + env.get('KEY'));
  try { await fetch('https://elsewhere.test/') } catch (error) { note(error.message) }
  return { words, at: new Date().toISOString() };
}`;

const permissions = {
  time: true,
  random: true,
  network: ['http://chance.test'],
  fs: ['data'],
  env: ['KEY'],
};

let engine: Engine;
let record: CallRecording;
let close: () => void;

beforeAll(async () => {
  const server = createServer((request, response) => {
    response.setHeader('x-random', String(Math.random()));
    // In pieces and at odd times, the later requests as a rule sooner.
    let left = 3;
    const send = (): void => {
      left -= 1;
      response.write('x'.repeat(Math.floor(Math.random() * 100_000)));
      if (left === 0) response.end();
      else setTimeout(send, Math.random() * 8);
    };
    setTimeout(send, Math.random() * 10);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  close = () => {
    server.closeAllConnections();
    server.close();
  };
  engine = await startEngine([plugin()], options(`http://127.0.0.1:${port}`));
  const result = await engine.call('run', {}, { record: true });
  if (result.isError || result.recording === undefined) throw new Error('it was not recorded');
  // As it comes back from a file.
  record = JSON.parse(JSON.stringify(result.recording)) as CallRecording;
});

afterAll(() => engine.close());

function plugin(): string {
  return makePlugin({ permissions, files: { 'data/a.txt': 'a' }, tools: { run: CHANCE } });
}

function options(url: string): Partial<EngineOptions> {
  return { env: { KEY: 'k1' }, network: { overrides: [{ host: 'chance.test', url }] } };
}

describe('a recorded call', () => {
  it('replays bit for bit, as often as one likes', async () => {
    for (const _ of [1, 2, 3]) {
      expect(await engine.replay(record)).toEqual({ same: true, frames: record.frames.length });
    }
    expect(record).toMatchObject({ complete: true, outcome: 'ok', plugin: 'sample', tool: 'run' });
  });

  it('succeeds without the network and without the plugin', async () => {
    close();
    const nowhere = await startEngine([]);
    expect(await nowhere.replay(record)).toMatchObject({ same: true });
    await nowhere.close();
  });

  it('holds what came of it, in frames that can be read', () => {
    const text = JSON.stringify(
      record.frames.map((frame) => ('message' in frame ? frame.message : frame.bytes)),
    );
    expect(text).toContain('http://chance.test/2');
    expect(text).toContain('random 0.');
    expect(record.tape.turns.some((turn) => turn > 0)).toBe(true);
    expect(record.tape.times.length).toBeGreaterThan(10);
  });

  it('differs at the first frame that is another, and says which', async () => {
    const at = record.frames.findLastIndex((frame) => frame.by === 'guest');
    const frames = record.frames.with(at - 1, {
      by: 'guest',
      message: { t: 'notice', m: 'log', p: { level: 'info', text: 'something else' } },
    });
    const verdict = await engine.replay(sealed({ ...record, frames }));
    expect(verdict).toMatchObject({ same: false, at: at - 1 });
    expect(verdict).toMatchObject({ expected: { message: { p: { text: 'something else' } } } });
    expect(verdict).toMatchObject({ actual: { by: 'guest' } });
  });

  it('differs if the clock or the random numbers differ', async () => {
    const later = record.tape.times.map((time, index) => (index % 2 === 0 ? time + 1 : time));
    const { tape } = record;
    expect(
      await engine.replay(sealed({ ...record, tape: { ...tape, times: later } })),
    ).toMatchObject({
      same: false,
    });
    expect(
      await engine.replay(sealed({ ...record, tape: { ...tape, seed: [1, 2, 3, 4] } })),
    ).toMatchObject({
      same: false,
      expected: { message: { p: { text: expect.stringMatching(/^random/) as string } } },
    });
  });

  it('stops if the next expected frame is missing', async () => {
    const tape = {
      ...record.tape,
      turns: record.tape.turns.map((turn) => (turn > 0 ? turn + 100 : 0)),
    };
    expect(await engine.replay(sealed({ ...record, tape }), { timeoutMs: 500 })).toMatchObject({
      same: false,
      actual: { silence: 500 },
    });
  });

  it('is refused if its bundle was changed, if it has version 1, or if it is not a recording', async () => {
    const frames = JSON.parse(JSON.stringify(record.frames).replace('random ', 'rand0m ')) as [];
    await expect(engine.replay(sealed({ ...record, frames }))).rejects.toThrow(
      /does not have the hash that it names/,
    );
    await expect(engine.replay(sealed({ ...record, complete: false }))).rejects.toThrow(
      /more happened than/,
    );
    await expect(
      engine.replay({ ...record, format: 'bulkhead-record', version: 1 }),
    ).rejects.toThrow(/it has version 1\. Record the call again with/);
    await expect(engine.replay({ hello: 1 })).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
    await expect(
      engine.replay({ ...record, frames: [{ by: 'guest', message: 1 }] }),
    ).rejects.toThrow(/frame 0 holds no message/);
  });
});

describe('the header of a recorded call', () => {
  it.each([
    { outcome: 'TOOL_FAILED' },
    { tool: 'other' },
    { plugin: 'other' },
    { node: 'v0.0.0' },
    { call: 'call_0' },
    { recordedAt: '2020-01-01T00:00:00.000Z' },
  ])('is refused if it was edited: %j', async (edit) => {
    await expect(engine.replay({ ...record, ...edit })).rejects.toThrow(
      /it was changed after it was written/,
    );
  });

  it.each([
    [{ tool: 'other' }, /its header names the tool other/],
    [{ plugin: 'other' }, /its header names the plugin other/],
  ])('is refused if it contradicts the messages: %j', async (edit, message) => {
    await expect(engine.replay(sealed({ ...record, ...edit }))).rejects.toThrow(message);
  });
});

/** The recording with a digest that matches. */
function sealed(edited: CallRecording): CallRecording {
  return { ...edited, digest: digestOf(edited) };
}

describe('recording', () => {
  it('covers SQLite, whose code comes from the host again', async () => {
    const keeper = makeVellum({
      tools: {
        keep: `import { DatabaseSync } from 'node:sqlite';
          export default { input_schema: { type: 'object' }, async execute() {
            const db = new DatabaseSync('/workspace/a.db');
            db.exec('CREATE TABLE IF NOT EXISTS t (a); INSERT INTO t VALUES (1)');
            return { content: String(db.prepare('SELECT count(*) AS n FROM t').get().n), isError: false };
          } };`,
      },
    });
    const other = await startEngine([keeper], {
      grant: () => ({ storage: true, time: true }),
      tolerance: 'full',
    });
    await other.call('keep', {});
    const recorded = await other.call('keep', {}, { record: true });
    expect(recorded.content).toEqual([{ type: 'text', text: '2' }]);
    expect(await other.replay(recorded.recording)).toMatchObject({ same: true });
    expect((await other.call('keep', {})).content).toEqual([{ type: 'text', text: '3' }]);
    await other.close();
  });

  it('is of a guest that no earlier call has touched', async () => {
    const counting = makePlugin({
      source: `let count = 0; export const tools = [{ id: 'count',
      name: 'n', description: 'd', annotations: { readOnlyHint: true }, execute: () => (count += 1) }]`,
    });
    const other = await startEngine([counting]);
    await other.call('count', {});
    await other.call('count', {});
    const recorded = await other.call('count', {}, { record: true });
    expect(recorded.value).toBe(1);
    expect(await other.replay(recorded.recording)).toMatchObject({ same: true });
    expect((await other.call('count', {})).value).toBe(3);
    await other.close();
  });

  it('covers a call that throws, and one that is stopped at its deadline', async () => {
    const failing = makePlugin({
      permissions: { time: true },
      tools: {
        fail: `async () => { await null; throw new Error('at ' + Date.now()) }`,
        hang: `async (input, { logger }) => { logger.info('before ' + Date.now()); await new Promise((done) => setTimeout(done, 5)); logger.info('after'); for (;;) {} }`,
      },
    });
    const other = await startEngine([failing]);
    const failed = await other.call('fail', {}, { record: true });
    expect(failed).toMatchObject({ isError: true, code: 'TOOL_FAILED' });
    expect(await other.replay(failed.recording)).toMatchObject({ same: true });
    const stopped = await other.call('hang', {}, { record: true, timeoutMs: 300 });
    expect(stopped).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    expect(stopped.recording).toMatchObject({ outcome: 'DEADLINE_EXCEEDED', complete: true });
    expect(await other.replay(stopped.recording)).toMatchObject({ same: true });
    await other.close();
  });

  it('holds no value of a secret, only what the plugin knows', async () => {
    const keyed = makePlugin({
      permissions: { env: ['KEY'], network: ['api.test'] },
      tools: { run: `() => env.get('KEY').length > 0` },
    });
    const other = await startEngine([keyed], {
      env: { KEY: 'hunter2-hunter2' },
      secrets: { sample: { KEY: { hosts: ['api.test'], in: ['header:authorization'] } } },
    });
    const { recording: kept } = await other.call('run', {}, { record: true });
    expect(kept).toMatchObject({ outcome: 'ok' });
    expect(JSON.stringify(kept)).not.toContain('hunter2');
    await other.close();
  });
});
