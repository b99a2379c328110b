import { isRecord } from '../../sandbox/wire/json.js';
import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { ApprovalRequest, Approver } from '../approval/approver.js';
import type { CatalogTool } from '../catalog/catalog.js';
import { createEngine } from '../engine/engine.js';
import type { Engine } from '../engine/engine-api.js';
import { diskReader } from '../engine/node/disk-reader.js';
import type { HookResult } from '../engine/hooks/hooks.js';
import { identityOf } from '../engine/instance/identity.js';
import type { CallOptions, EngineOptions, Logger } from '../engine/types/options.js';
import type { CallResult } from '../engine/types/result.js';
import type { PluginStatus } from '../engine/types/status.js';
import { readPlugin } from '../formats/discover.js';
import { textOf } from '../plugin/answer.js';
import { type Cassette, openCassette, recordCassette } from './cassette.js';
import { isRecording, openCassetteFile } from './cassette-file.js';
import { openLiveNetwork } from './live-network.js';
import { type MockFetch, makeMockNetwork, type SentRequest } from './mock-network.js';
import { makeRedact } from './redact.js';
import { openTestStorage, type TestStorage } from './test-storage.js';
import { makeWorkplace } from './workplace.js';

/** The world of a plugin under test. It gets nothing else: no network, no variables, an empty storage. */
export interface TestOptions {
  /** The answers of its hosts. Default: none, so that each permitted request fails the test. */
  readonly fetch?: MockFetch;
  /**
   * A file of recorded answers, for the requests that `fetch` does not answer. `bulkhead test --record`
   * sends these requests and writes the file, without secrets. Default: none.
   */
  readonly cassette?: string;
  /** The variables of its environment. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** What its clock shows when it loads. Default: the time of the machine. */
  readonly clock?: string | number | Date;
  /** The files of its storage, by path. Default: none. */
  readonly storage?: Readonly<Record<string, string | Uint8Array>>;
  /** The operator's configuration. Default: none. */
  readonly config?: JsonObject;
  /** The permissions that it gets. Default: all that it declares. */
  readonly grant?: EngineOptions['grant'];
  /** Permissions of these that it does not get, in the form of `engine.revoke`. Default: none. */
  readonly revoke?: readonly string[];
  /** Answers questions about its calls. Default: yes, once. `toAsk` tells that it was asked. */
  readonly approve?: 'once' | 'deny' | Approver;
  /** Gets the lines that the plugin and the engine log. Default: nothing is logged. */
  readonly logger?: Logger;
  /** Further options of the engine. */
  readonly engine?: Partial<EngineOptions>;
}

/** The result of a call, and what happened in it. */
export interface TestedCall extends CallResult {
  /** The texts of `content`, joined by line breaks. */
  readonly text: string;
  /** What was asked about it. */
  readonly asked: readonly ApprovalRequest[];
  /** What it sent. */
  readonly sent: readonly SentRequest[];
}

/** A plugin in a guest of its own, as a host runs it. */
export interface TestedPlugin extends AsyncDisposable {
  readonly id: string;
  readonly tools: readonly CatalogTool[];
  /**
   * Calls a tool, by its bare name or as `engine.call`. Rejects if the plugin sent a request that no
   * mock answers, and with the errors of `engine.call`. Calls run one after another. The call option
   * `approve` answers in place of the option of `loadPlugin`.
   */
  call(tool: string, input?: unknown, options?: CallOptions): Promise<TestedCall>;
  /** Runs one of its hooks. */
  hook(name: string, context: object): Promise<HookResult>;
  readonly storage: TestStorage;
  /** Everything that it sent, in order. */
  readonly sent: readonly SentRequest[];
  /** The engine that runs it, for everything else. */
  readonly engine: Engine;
  /** Ends the guest, and deletes its storage. */
  close(): Promise<void>;
}

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/**
 * Loads the plugin of a directory into a real guest behind the walls, with a mocked world. Rejects with
 * the error that keeps it from loading.
 */
export async function loadPlugin(
  directory: string,
  options: TestOptions = {},
): Promise<TestedPlugin> {
  checkOptions(options);
  const { plugin } = await readPlugin(diskReader, directory);
  const cassette = await openCassetteOf(options);
  const network = makeMockNetwork(options.fetch, cassette?.answer);
  const startTime = startTimeOf(options.clock);
  const { approve = 'once' } = options;
  const workplace = await makeWorkplace();
  const asked: ApprovalRequest[] = [];
  let ofThisCall: Approver | undefined;
  const storage = openTestStorage(identityOf(plugin), workplace.directory);
  let engine: Engine;
  try {
    for (const [path, content] of Object.entries(options.storage ?? {})) {
      await storage.write(path, content);
    }
    engine = await createEngine({
      plugins: [directory],
      grant: options.grant ?? 'declared',
      env: options.env ?? {},
      storageDirectory: workplace.directory,
      logger: options.logger ?? silent,
      approve: (question) => {
        asked.push(question);
        const answer = ofThisCall ?? approve;
        return typeof answer === 'function' ? answer(question) : answer;
      },
      ...(options.config === undefined ? {} : { config: { [plugin.id]: options.config } }),
      ...(startTime === undefined ? {} : { startTime }),
      ...options.engine,
      network: { ...options.engine?.network, answer: network.answer },
      limits: { pool: 0, ...options.engine?.limits },
    });
  } catch (error) {
    await workplace.remove();
    throw error;
  }
  const end = async (): Promise<void> => {
    await engine.close();
    await workplace.remove();
  };
  const close = async (): Promise<void> => {
    await end();
    await cassette?.close();
  };
  try {
    const [status] = engine.plugins();
    if (status?.state !== 'active') throw notLoaded(plugin.id, status);
    if (options.revoke !== undefined) await engine.revoke(plugin.id, ...options.revoke);
  } catch (error) {
    await end();
    throw error;
  }
  let last: Promise<unknown> = Promise.resolve();
  const callNow = async (
    tool: string,
    input: unknown,
    callOptions: CallOptions,
  ): Promise<TestedCall> => {
    const [firstQuestion, firstRequest] = [asked.length, network.sent.length];
    network.takeUnanswered();
    ofThisCall = callOptions.approve;
    const result = await engine.call(tool, input, callOptions);
    const unanswered = network.takeUnanswered();
    if (unanswered.length > 0) {
      throw new Error(
        `${plugin.id} sent what no mock answers: ${unanswered.join(', ')}. ${
          cassette === undefined
            ? 'Add it to the option fetch of loadPlugin.'
            : `Record it: bulkhead test --record`
        }`,
      );
    }
    return {
      ...result,
      text: textOf(result.content),
      asked: asked.slice(firstQuestion),
      sent: network.sent.slice(firstRequest),
    };
  };
  return {
    id: plugin.id,
    get tools() {
      return engine.catalog.list();
    },
    call: (tool, input = {}, callOptions = {}) => {
      const called = last.then(() => callNow(tool, input, callOptions));
      last = called.catch(() => undefined);
      return called;
    },
    hook: (name, context) => engine.hooks.run(name, context),
    storage,
    sent: network.sent,
    engine,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function notLoaded(id: string, status: PluginStatus | undefined): Error {
  const problems = (status?.problems ?? []).map(({ message }) => message);
  const alerts = (status?.alerts ?? []).map(({ message }) => message);
  const why = [...problems, ...alerts].join(' ');
  return new Error(`The plugin ${id} did not load. ${why}`);
}

const OPTION_NAMES: Readonly<Record<keyof TestOptions, true>> = {
  fetch: true,
  cassette: true,
  env: true,
  clock: true,
  storage: true,
  config: true,
  grant: true,
  revoke: true,
  approve: true,
  logger: true,
  engine: true,
};

/** The cassette of a test. `bulkhead test --record` records it again. */
async function openCassetteOf({
  cassette: name,
  env = {},
  engine,
}: TestOptions): Promise<Cassette | undefined> {
  if (name === undefined) return undefined;
  const place = { name, file: openCassetteFile(name) };
  const redact = makeRedact(env);
  return isRecording()
    ? recordCassette(place, openLiveNetwork(engine?.network ?? {}), redact)
    : openCassette(place, redact);
}

/** Throws a TypeError for an unknown option, so that a typing error does not change what a test means. */
function checkOptions(options: TestOptions): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(OPTION_NAMES, name));
  if (unknown !== undefined) {
    const known = Object.keys(OPTION_NAMES).join(', ');
    throw new TypeError(`loadPlugin has no option ${JSON.stringify(unknown)}. It has ${known}.`);
  }
  const { fetch } = options;
  if (fetch !== undefined && typeof fetch !== 'function' && !isRecord(fetch)) {
    throw new TypeError('The option fetch of loadPlugin takes routes or a function.');
  }
}

/** Throws a TypeError for text that is no time. */
function startTimeOf(clock: TestOptions['clock']): number | undefined {
  if (clock === undefined) return undefined;
  const time = new Date(clock).getTime();
  if (Number.isNaN(time)) {
    throw new TypeError(
      `The option clock of loadPlugin is ${JSON.stringify(clock)}: write a time, e.g. "2026-01-31T12:00:00Z".`,
    );
  }
  return time;
}
