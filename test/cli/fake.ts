import type { Stops } from '../../src/stops/stop.js';
import { makeMemoryStops } from '../memory-stops.js';
import { readPublicKeys } from '../../src/keys/key-file.js';
import { makeMemoryFiles, openApprovalStore } from '../../src/approval/store.js';
import { makeStoredApprovals, type StoredApprovals } from '../../src/approval/stored-approvals.js';
import { makeRuleBook } from '../../src/approval/rule-book.js';
import type { CliCapabilities } from '../../src/cli/capabilities.js';
import type { Prompts } from '../../src/cli/prompts.js';
import { runCli } from '../../src/cli/run.js';
import { makeSpindleHost } from '../../src/formats/spindle/engine/spindle-host.js';
import type {
  CallOptions,
  CallResult,
  CatalogTool,
  Engine,
  EngineOptions,
  ErrorCode,
  EventListener,
  Guarantee,
  HookOptions,
  HookResult,
  PluginStatus,
  RuleBook,
  Suggestion,
} from '../../src/index.js';
import type { Lockfile } from '../../src/entry-points/lock.js';
import { NO_WALLS } from '../../src/guests/walls/plan.js';
import { NO_PERMISSIONS } from '../../src/permissions/permissions.js';
import { echo } from './echo.js';
import { type FakeSink, makeSink, stream } from './sinks.js';

export interface FakeCapabilities extends CliCapabilities {
  readonly stdout: FakeSink;
  readonly stderr: FakeSink;
  /** The options of every engine that was created, and the calls it took. */
  readonly created: EngineOptions[];
  readonly calls: { directory: string; tool: string; input: unknown; options: CallOptions }[];
  readonly closedEngines: string[];
  /** Files that were written, by path. */
  readonly written: Map<string, string>;
}

export interface FakeSpec {
  readonly packages?: CliCapabilities['packages'];
  /** What a plugin's code is said to need. */
  readonly suggestion?: Suggestion;
  readonly stdin?: string | readonly Uint8Array[];
  readonly files?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ask?: CliCapabilities['ask'];
  readonly terminal?: boolean;
  readonly status?: Partial<PluginStatus>;
  readonly tools?: readonly CatalogTool[];
  readonly guarantees?: readonly Guarantee[];
  /** The command that installs what would build the missing walls. */
  readonly install?: string;
  /** What creating an engine throws. */
  readonly broken?: Error;
  readonly interrupted?: AbortSignal;
  readonly rules?: RuleBook;
  readonly approvals?: StoredApprovals;
  readonly stops?: Stops;
  readonly lock?: Lockfile;
  readonly prompts?: Prompts;
  /** The server of the operator's own. */
  readonly http?: CliCapabilities['http'];
  /** Answers a run of hooks; throws what the engine would throw. */
  readonly hook?: (hook: string, context: object, options: HookOptions) => HookResult;
  /** A directory that has files. */
  readonly full?: string;
  /** The files that tools wrote. */
  readonly made?: Engine['files'];
  /** Answers a call; throws what the engine would throw. */
  readonly call?: (
    tool: string,
    input: unknown,
    engine: { options: EngineOptions; emit: EventListener },
  ) => Promise<Partial<CallResult>> | Partial<CallResult>;
}

/** Runs one command line with fake capabilities. */
export async function runFake(
  argv: string[],
  spec: FakeSpec = {},
): Promise<FakeCapabilities & { code: number }> {
  const capabilities = fakeCapabilities(spec);
  const code = await runCli(argv, '1.2.3', capabilities);
  return Object.assign(capabilities, { code });
}

/** The answer of a call that failed. */
export function failing(code: ErrorCode, text = 'no'): () => Partial<CallResult> {
  return () => ({ isError: true, code, content: [{ type: 'text', text }] });
}

/** Capabilities without a world: text in, text out, and an engine that answers as it is told. */
export function fakeCapabilities(spec: FakeSpec = {}): FakeCapabilities {
  const created: EngineOptions[] = [];
  const calls: FakeCapabilities['calls'] = [];
  const closedEngines: string[] = [];
  const written = new Map<string, string>();
  let now = 0;
  return {
    created,
    calls,
    closedEngines,
    keepBundlers: () => () => {},
    createEngine: (options) => {
      created.push(options);
      if (spec.broken !== undefined) return Promise.reject(spec.broken);
      return Promise.resolve(fakeEngine(options, spec, calls, closedEngines));
    },
    createLearningEngine: () => Promise.reject(new Error('nothing to learn')),
    packages: spec.packages ?? {
      directory: '/store',
      fetch: () => Promise.reject(new Error('there is no registry')),
      fetchCommit: () => Promise.reject(new Error('there is no repository')),
      describe: () => undefined,
      commitOf: () => undefined,
      removeOthers: () => [],
    },
    suggestPermissions: () =>
      spec.suggestion === undefined
        ? Promise.reject(new Error('nothing to suggest'))
        : Promise.resolve(spec.suggestion),
    findMisspeltKeys: () => Promise.resolve([]),
    findCodePlaces: () => Promise.resolve({ tools: new Map(), throws: [] }),
    readAudit: (path) => {
      throw new Error(`there is no audit log ${path}`);
    },
    readPublicKeys,
    http: spec.http ?? (() => Promise.reject(new Error('there is no server'))),
    openRules: () => spec.rules ?? makeRuleBook(),
    openApprovals: () =>
      spec.approvals ?? makeStoredApprovals(openApprovalStore(makeMemoryFiles(), Date.now)),
    readFinishedProgram: () => {
      throw new Error('there is no program');
    },
    openStops: () => spec.stops ?? makeMemoryStops(),
    openLockfile: () => {
      if (spec.lock === undefined) throw new Error('there is no lock');
      return spec.lock;
    },
    stdin: stream(spec.stdin ?? ''),
    stdout: makeSink(spec.terminal ?? false),
    stderr: makeSink(spec.terminal ?? false),
    readFile: (path) => {
      const text = spec.files?.[path];
      return text === undefined
        ? Promise.reject(new Error(`ENOENT: no such file, open '${path}'`))
        : Promise.resolve(text);
    },
    writeFile: (path, text) => {
      written.set(path, text);
      return Promise.resolve();
    },
    written,
    checkWritable: () => Promise.resolve(),
    makeScratch: () =>
      Promise.resolve({
        directory: '/tmp/scratch',
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }),
    makeEmptyDirectory: (path) =>
      spec.full === path ? Promise.reject(new Error('it is not empty')) : Promise.resolve(),
    replaceText: (path, text) => {
      written.set(path, text);
      return Promise.resolve();
    },
    ownCommand: { command: '/usr/bin/node', args: ['/opt/bulkhead/main.js'] },
    makeProject: (directory, files) => {
      if (spec.full === directory) return Promise.reject(new Error('it is not empty'));
      for (const [path, text] of Object.entries(files)) written.set(`${directory}/${path}`, text);
      return Promise.resolve();
    },
    saveNewFile: async (path, content) => {
      written.set(path, await new Response(content).text());
    },
    runNode: () => Promise.resolve(0),
    importModule: (path) => Promise.reject(new Error(`there is no module ${path}`)),
    listDirectory: (path) =>
      Promise.resolve(
        Object.keys(spec.files ?? {}).flatMap((file) =>
          file.startsWith(`${path}/`) ? [file.slice(path.length + 1).split('/')[0] ?? ''] : [],
        ),
      ),
    realPath: (path) => Promise.resolve(path),
    machine: {
      node: 'v20.19.0',
      v8: '11.3',
      platform: 'linux',
      arch: 'x64',
      kernel: '6.1.0',
      processors: 2,
      memoryBytes: 8 * 1024 ** 3,
      superuser: false,
    },
    operator: 'operator',
    environment: spec.environment ?? {},
    now: () => (now += 1),
    version: '0.1.0',
    wallClock: () => 1_700_000_000_000,
    ...(spec.ask === undefined ? {} : { ask: spec.ask }),
    ...(spec.prompts === undefined ? {} : { prompts: spec.prompts }),
    interrupted: spec.interrupted ?? new AbortController().signal,
    onHangup: () => () => undefined,
    watchFile: () => () => undefined,
    fixtures: '/fixtures',
    serve: () =>
      Promise.resolve({
        url: 'http://127.0.0.1:1',
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }),
    walls: {
      plan: () => Promise.resolve(NO_WALLS),
      install: () => Promise.resolve(spec.install),
      find: (name) => (name.startsWith('/') ? name : undefined),
      run: () => Promise.resolve(7),
    },
  };
}

function fakeEngine(
  options: EngineOptions,
  spec: FakeSpec,
  calls: FakeCapabilities['calls'],
  closedEngines: string[],
): Engine {
  const directory = options.plugins[0] ?? '';
  const listeners = new Set<EventListener>();
  const tools = spec.tools ?? [echo];
  const none = NO_PERMISSIONS;
  const status: PluginStatus = {
    id: 'sample',
    format: 'pandora',
    directory,
    name: 'Sample',
    version: '1.0.0',
    state: 'active',
    description: undefined,
    problems: [],
    alerts: [],
    entries: [
      {
        key: 'tools',
        surface: 'tools',
        file: 'src/index.ts',
        confinement: 'compartment',
        bundle: 'sha512-abc',
        declared: none,
        effective: none,
        secrets: [],
      },
    ],
    tools,
    ...spec.status,
  };
  const close = (): Promise<void> => {
    closedEngines.push(directory);
    return Promise.resolve();
  };
  const emit: EventListener = (event) => {
    for (const listener of listeners) listener(event);
  };
  return {
    catalog: {
      list: () => tools,
      find: () => undefined,
      collisions: () => [],
      on: () => () => undefined,
    },
    stops: spec.stops ?? makeMemoryStops(),
    call: async (tool, input, callOptions = {}) => {
      calls.push({ directory, tool, input, options: callOptions });
      const answer = await spec.call?.(tool, input, { options, emit });
      return {
        callId: 'call_1',
        isError: false,
        content: [],
        value: { tool, input: input as never },
        durationMs: 1.234,
        ...answer,
      };
    },
    hooks: {
      list: () => [],
      run: (hook, context, hookOptions = {}) =>
        Promise.resolve(spec.hook?.(hook, context, hookOptions) ?? { context: {}, reports: [] }),
    },
    availableTools: () => tools,
    stream: async function* () {},
    runProgram: () =>
      Promise.resolve({
        id: 'call_2',
        isError: false,
        value: null,
        text: '',
        calls: [],
        durationMs: 1,
      }),
    programs: {
      list: () => [],
      resume: () => Promise.reject(new Error('no programs here')),
      cancel: () => Promise.resolve(),
    },
    files: (plugin, filesOptions) =>
      spec.made?.(plugin, filesOptions) ?? { list: () => [], open: async () => undefined },
    previewCall: () => ({ verdict: 'run', reason: 'it is fake', digest: '0' }),
    approvals: {
      ...makeStoredApprovals(openApprovalStore(makeMemoryFiles(), Date.now)),
      attended: false,
      request: () => Promise.resolve('apr_fake'),
      on: () => () => {},
    },
    rules: makeRuleBook(),
    spindle: makeSpindleHost(
      () => [],
      () => undefined,
    ),
    grant: () => Promise.resolve(),
    revoke: () => Promise.resolve(),
    plugins: () => [status],
    listing: () => [],
    replay: () => Promise.resolve({ same: true, frames: 1 }),
    audit: {} as never,
    agent: () => ({ turn: () => Promise.reject(new Error('there is no model')) }),
    jwks: () => Promise.resolve({ keys: [] }),
    mcpSources: () => [],
    logIn: async (id, { show }) => show(`https://login.example.com/${id}`),
    logOut: async () => {},
    accept: () => Promise.resolve(),
    guarantees: () => Promise.resolve(spec.guarantees ?? []),
    on: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    setEnabled: () => Promise.resolve(),
    reload: () => Promise.resolve(),
    close,
    [Symbol.asyncDispose]: close,
  };
}
