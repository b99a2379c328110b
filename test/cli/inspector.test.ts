import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { WebSocket } from 'undici';
import { describe, expect, it } from 'vitest';
import { isRecord } from '../../sandbox/wire/json.js';
import { guestScripts } from '../../src/engine/node/process-defaults.js';
import { inspectMachine } from '../../src/guests/machine.js';
import { type CallResult, createEngine } from '../../src/index.js';
import { isOwnPort } from '../../src/own-ports.js';
import { brokerFor } from '../brokers/network/plugin.js';
import { makePlugin, silentLogger } from '../engine/plugin-on-disk.js';
import { run } from './in-process.js';

const SOURCE = `const factor: number = 2;

export const tools = [{
  id: 'double', name: 'Double', description: 'Doubles.', parameters: { type: 'object' },
  annotations: { readOnlyHint: true }, timeout: 1_000,
  async execute({ count }: { count: number }) {
    const doubled = count * factor;
    return String(doubled);
  },
}];
`;

describe('a guest with an inspector', () => {
  it('stops at a line of the author’s source, shows its variables and has no deadline', async () => {
    const { directory, called, url, opened, close } = await open();
    const debug = await attach(url);
    const { scriptId, sourceMapURL } = await debug.run();
    const { source, generated } = lineIn(String(sourceMapURL), 'return String(doubled)');
    expect(source).toBe(join(directory, 'index.ts'));
    await debug.send('Debugger.setBreakpoint', { location: { scriptId, lineNumber: generated } });
    const stopped = debug.next('Debugger.paused', isAtBreakpoint);
    await debug.send('Debugger.resume');
    const { callFrames } = await stopped;
    const [frame] = Array.isArray(callFrames) ? callFrames : [];
    const callFrameId: unknown = isRecord(frame) ? frame['callFrameId'] : undefined;
    // The tool's own deadline passes meanwhile.
    await new Promise((resolve) => setTimeout(resolve, 1_300));
    const read = await debug.send('Debugger.evaluateOnCallFrame', {
      callFrameId,
      expression: 'doubled + count + factor',
    });
    expect(read['result']).toMatchObject({ value: 14 });
    await debug.send('Debugger.evaluateOnCallFrame', { callFrameId, expression: 'doubled = 9' });
    await debug.send('Debugger.resume');
    expect(await called).toMatchObject({ value: '9' });
    expect(opened).toHaveLength(1);
    debug.close();
    await close();
  });

  it('takes one debugger, which knows its address, and goes on without it', async () => {
    const { called, url, close } = await open();
    const { origin, host } = new URL(url.replace('ws:', 'http:'));
    expect((await fetch(`${origin}/json/list`)).status).toBe(404);
    await expect(attach(`ws://${host}/json`)).rejects.toThrow('the upgrade was refused');
    const debug = await attach(url);
    await expect(attach(url)).rejects.toThrow('the upgrade was refused');
    // It is paused now, at the plugin's first line.
    await debug.run();
    debug.close();
    expect(await called).toMatchObject({ value: '8' });
    await close();
  });

  it('passes large source maps, keeps its own thread to itself and lets debuggers skip its own code', async () => {
    // The thread that passes them collects garbage, for which it has to know its own stack behind the walls.
    const { called, url, close } = await open(`${SOURCE}/* ${'long '.repeat(300_000)} */\n`);
    const debug = await attach(url);
    expect(await debug.send('NodeWorker.enable', { waitForDebuggerOnStart: true })).toMatchObject({
      error: { message: "'NodeWorker.enable' is not available" },
    });
    const { sourceMapURL } = await debug.run();
    expect(String(sourceMapURL).length).toBeGreaterThan(1_500_000);
    const own = await debug.next('Debugger.scriptParsed', ({ url: script }) =>
      String(script).includes('guest.js'),
    );
    expect(own['url']).toMatch(/^node:internal\//);
    debug.close();
    expect(await called).toMatchObject({ value: '8' });
    await close();
  });

  it('keeps the walls of the kernel', async () => {
    const { plan } = await inspectMachine(guestScripts.confined());
    const { called, url, close } = await open();
    const debug = await attach(url);
    const guest = processesWith('inspected-guest.cjs').find(
      ({ program }) => program === process.execPath,
    );
    const network = readlinkSync('/proc/self/ns/net');
    expect(guest).toMatchObject({
      seccomp: plan.systemCallFilter ? '2' : '0',
      hasOwnNetwork: plan.namespaces.includes('net'),
    });
    expect(network).toMatch(/^net:/);
    await debug.run();
    debug.close();
    await called;
    await close();
  });

  it('is out of reach for a plugin, also by a host override, while it listens', async () => {
    const { url, called, close } = await open();
    const { port } = new URL(url);
    const broker = brokerFor(undefined, {
      overrides: [{ host: 'api.test', url: `http://127.0.0.1:${port}` }],
      allows: () => true,
    });
    await expect(broker.get('http://api.test/')).rejects.toMatchObject({ code: 'NETWORK_DENIED' });
    const debug = await attach(url);
    await debug.run();
    debug.close();
    await called;
    await close();
    await expect.poll(() => isOwnPort(Number(port))).toBe(false);
  });

  it('does not start at a port that another program has', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const address = taken.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const args = ['call', makePlugin({ source: SOURCE }), 'double', '--input', '{"count":4}'];
    const { code, stdout, stderr } = await run([...args, '--inspect', String(port)]);
    taken.close();
    expect(stderr).toMatch(
      new RegExp(`No debugger can connect, because port ${port} cannot be used: .*EADDRINUSE`),
    );
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
  });

  it.each([
    [['--inspect', '70000'], '--inspect takes a port from 0 to 65535, not 70000'],
    [['--inspect', '0', '--timeout', '5'], '--inspect does not work together with --timeout'],
    [['--inspect', '0', '--dry-run'], '--inspect does not work together with --dry-run'],
    [['--inspect', '0', '--packages', 'separate'], 'not work together with --packages'],
  ])('is refused with %j', async (more, reason) => {
    const { code, stderr } = await run(['call', 'nowhere', 'double', ...more]);
    expect(stderr).toContain(reason);
    expect(code).toBe(1);
  });

  it.each([
    [{ port: -1, onListening: () => {} }, {}],
    [{ port: 0, onListening: () => {} }, { walls: { require: ['own-filesystem'] } }],
    [{ port: 0, onListening: () => {} }, { trustGroups: { one: ['a'] } }],
    [{ port: 0, onListening: () => {} }, { lockFile: '/nowhere/bulkhead.lock.json' }],
  ] as const)('is no option of an engine as %j with %j', async (inspector, more) => {
    await expect(createEngine({ plugins: [], inspector, ...more })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      details: { option: 'inspector' },
    });
  });
});

/** An engine that has not seen the plugin before loads it to learn its tools, and waits for the debugger then. */
async function open(source = SOURCE): Promise<{
  readonly directory: string;
  readonly called: Promise<CallResult>;
  readonly url: string;
  readonly opened: readonly string[];
  close(): Promise<void>;
}> {
  const directory = makePlugin({ source });
  const opened: string[] = [];
  const opening = createEngine({
    plugins: [directory],
    grant: 'declared',
    logger: silentLogger,
    inspector: { port: 0, onListening: (url) => opened.push(url) },
  });
  const called = opening.then((engine) => engine.call('double', { count: 4 }));
  await expect.poll(() => opened).toHaveLength(1);
  const close = async (): Promise<void> => (await opening).close();
  return { directory, called, url: String(opened[0]), opened, close };
}

function isAtBreakpoint({ hitBreakpoints }: Message): boolean {
  return Array.isArray(hitBreakpoints) && hitBreakpoints.length > 0;
}

/** The processes whose command line has this text. */
function processesWith(
  text: string,
): readonly { program: string; seccomp: string | undefined; hasOwnNetwork: boolean }[] {
  const own = readlinkSync('/proc/self/ns/net');
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      if (!/^\d+$/.test(pid) || !command.some((word) => word.endsWith(text))) return [];
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const seccomp = /^Seccomp:\s*(\d)$/m.exec(status)?.[1];
      const hasOwnNetwork = readlinkSync(`/proc/${pid}/ns/net`) !== own;
      return [{ program: command[0] ?? '', seccomp, hasOwnNetwork }];
    } catch {
      return [];
    }
  });
}

type Message = Readonly<Record<string, unknown>>;

/** A debugger: as much of the Chrome DevTools Protocol as a test needs. */
async function attach(url: string): Promise<{
  send(method: string, params?: object): Promise<Message>;
  next(method: string, fits?: (params: Message) => boolean): Promise<Message>;
  /** Lets the guest load the plugin; answers its script, before the first line of which it stops. */
  run(): Promise<Message>;
  close(): void;
}> {
  const socket = new WebSocket(url);
  const answers = new Map<number, (result: Message) => void>();
  const events: { method: string; params: Message }[] = [];
  const waiting = new Set<() => void>();
  socket.addEventListener('message', ({ data }) => {
    const message: unknown = JSON.parse(String(data));
    if (!isRecord(message)) return;
    const { id, result, method, params } = message;
    if (typeof id === 'number') answers.get(id)?.(isRecord(result) ? result : message);
    if (typeof method === 'string') events.push({ method, params: isRecord(params) ? params : {} });
    for (const look of waiting) look();
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error('the upgrade was refused')));
  });
  let last = 0;
  const send = (method: string, params: object = {}): Promise<Message> =>
    new Promise((resolve) => {
      last += 1;
      answers.set(last, resolve);
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  // Each event is given once.
  const next = (
    wanted: string,
    fits: (params: Message) => boolean = () => true,
  ): Promise<Message> =>
    new Promise((resolve) => {
      const look = (): void => {
        const at = events.findIndex(({ method, params }) => method === wanted && fits(params));
        const [found] = at < 0 ? [] : events.splice(at, 1);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found.params);
      };
      waiting.add(look);
      look();
    });
  await send('Debugger.enable');
  return {
    send,
    next,
    run: async () => {
      await send('Debugger.setInstrumentationBreakpoint', {
        instrumentation: 'beforeScriptWithSourceMapExecution',
      });
      await send('Runtime.runIfWaitingForDebugger');
      const script = await next('Debugger.scriptParsed', ({ sourceMapURL }) => sourceMapURL !== '');
      await next('Debugger.paused');
      return script;
    },
    close: () => socket.close(),
  };
}

/** The line of the guest's code that a line of a source became, from 0, and that source's path. */
function lineIn(mapUrl: string, text: string): { source: string; generated: number } {
  const [, base64 = ''] = mapUrl.split('base64,');
  const payload = JSON.parse(Buffer.from(base64, 'base64').toString());
  const contents: readonly string[] = payload.sourcesContent;
  const index = contents.findIndex((content) => content.includes(text));
  const wanted = (contents[index] ?? '').split('\n').findIndex((line) => line.includes(text));
  const map = new SourceMap(payload);
  for (let generated = 0; generated < 10_000; generated += 1) {
    for (let column = 0; column < 40; column += 1) {
      const entry = map.findEntry(generated, column);
      if (!('originalLine' in entry) || entry.generatedLine !== generated) continue;
      if (entry.originalLine !== wanted || !entry.originalSource.endsWith('index.ts')) continue;
      return {
        source: fileURLToPath(new URL(payload.sources[index], payload.sourceRoot)),
        generated,
      };
    }
  }
  throw new Error(`no line has ${text}`);
}
