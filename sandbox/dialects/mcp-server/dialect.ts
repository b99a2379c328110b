import { CodedError } from '../../wire/failure.js';
import { isRecord } from '../../wire/json.js';
import type { Json } from '../../wire/messages.js';
import type { Attached, CallWorld, Dialect, DialectWorld, EventWorld } from '../dialect.js';
import { makeProgramConsole } from './console.js';
import { makeServer, programOf, type Server } from './server.js';
import { PROGRAM_MODULE, STREAMS_MODULE } from '../../wire/units.js';

/**
 * MCP: a program that speaks the Model Context Protocol on its standard streams. The guest is its client. A
 * guest has one server and one session, which lasts as long as the guest.
 */
export const mcpServer: Dialect = {
  hasCryptoRandom: true,
  // What a server writes with `console` counts among its last lines.
  globals: (world) => ({ console: makeProgramConsole(world, serverOf(world)) }),
  modules: (world) => ({
    [STREAMS_MODULE]: serverOf(world).face,
    [PROGRAM_MODULE]: serverOf(world).program,
  }),
  program: programOf,
  whyNotLoaded: (error, world) =>
    serverOf(world)
      .whyEnded()
      .then((end) => end ?? error),
  attach: (exports, world): Attached => {
    const server = serverOf(world);
    const started = (): Promise<void> => server.start(loaderIn(exports));
    return {
      describe: () => started().then(() => server.describe()),
      call: (tool, input, call) =>
        started().then(() =>
          server.ask('tools/call', { name: tool, arguments: input }, { ...watch(call), call }),
        ),
      event: (name, payload, event) => {
        if (!QUESTIONS.has(name))
          throw new CodedError('TOOL_NOT_FOUND', `${name} is not forwarded`);
        return started().then(() => server.ask(name, paramsOf(payload), watch(event)));
      },
      regrant: () => server.regranted(),
    };
  },
};

/** The requests of the host's clients that are passed on as they are. */
const QUESTIONS: ReadonlySet<string> = new Set([
  'completion/complete',
  'logging/setLevel',
  'prompts/get',
  'prompts/list',
  'resources/list',
  'resources/read',
  'resources/subscribe',
  'resources/templates/list',
  'resources/unsubscribe',
]);

const servers = new WeakMap<DialectWorld, Server>();

function serverOf(world: DialectWorld): Server {
  const server = servers.get(world) ?? makeServer(world);
  servers.set(world, server);
  return server;
}

/** The function that runs the server's program. */
function loaderIn(exports: Readonly<Record<string, unknown>>): () => unknown {
  const { tools } = exports;
  const load: unknown = isRecord(tools) ? Object.values(tools)[0] : undefined;
  if (typeof load !== 'function') throw new CodedError('LOAD_FAILED', 'the server has no program');
  return () => Reflect.apply(load, undefined, []);
}

function paramsOf(payload: Json): object {
  return isRecord(payload) ? payload : {};
}

function watch({ signal }: Pick<CallWorld | EventWorld, 'signal'>): {
  readonly onCancel: (listener: (why: string) => void) => void;
} {
  return {
    onCancel: (listener) => {
      if (!isSignal(signal)) return;
      const stop = (): void => listener('the caller gave up');
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop);
    },
  };
}

interface Signal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
}

function isSignal(signal: unknown): signal is Signal {
  return typeof signal === 'object' && signal !== null && 'addEventListener' in signal;
}
