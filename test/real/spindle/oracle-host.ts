/**
 * The oracle's host: starts Lumiverse's own `worker-runtime.ts` as Lumiverse does, answers as
 * `lumiverse.ts` says, and prints one line of JSON for each step. Bun runs it:
 *
 *     bun oracle-host.ts RUN.json WORKER-RUNTIME
 */
import { answerOf, comparable, effectOf, MODEL_MS, QUIET_MS } from './lumiverse.js';
import { MEMBER_OF } from './wire-types.js';
import type { SpindleRun, SpindleStep } from './step.js';

declare const Bun: {
  spawn(options: object): { send(message: unknown): void; kill(): void };
  file(path: string): { json(): Promise<unknown> };
  argv: string[];
};

// oxlint-disable-next-line typescript/no-explicit-any -- messages of Lumiverse's own protocol
type Message = Readonly<Record<string, any>>;

const [, , runFile = '', runtime = ''] = Bun.argv;
const run = (await Bun.file(runFile).json()) as SpindleRun;
const { scenario, manifest } = run;
const fs = await import('node:fs');
const path = await import('node:path');

let effects: string[] = [];
let lastMs = Date.now();
/** Requests that are being answered. */
const busy = new Set<object>();
const registered = {
  events: new Set<string>(),
  hooks: new Map<string, number>(),
  macros: new Set<string>(),
  tools: new Map<string, unknown>(),
  endpoints: new Set<string>(),
  commands: [] as string[],
};
const pushed = new Map<string, string>();
const variables = new Map<string, Map<string, string>>();
const enclave = new Map<string, string>();
const ephemeral = new Map<string, unknown>();
const rpcValues = new Map<string, unknown>();
const answers = new Map<string, (message: Message) => void>();
let ready: () => void = () => {};
const isReady = new Promise<void>((resolve) => {
  ready = resolve;
});

const granted: readonly string[] = (manifest['permissions'] as string[] | undefined) ?? [];
const has = (permission: string): boolean => granted.includes(permission);

let died = false;
const worker = Bun.spawn({
  // Lumiverse's own process ends with an error that nothing catches. A guest goes on.
  cmd: [process.execPath, '--unhandled-rejections=warn', runtime, '--spindle-subprocess'],
  env: { PATH: process.env['PATH'] },
  cwd: run.directory,
  stdin: 'ignore',
  stdout: 'ignore',
  stderr: process.env['ORACLE_LOG'] === '1' ? 'inherit' : 'ignore',
  serialization: 'advanced',
  ipc: (message: Message) => void hear(message),
  onExit: () => {
    died = true;
  },
});
const send = (message: object): void => {
  if (!died) worker.send(message);
};
const reply = (requestId: string, result: unknown): void =>
  send({ type: 'response', requestId, result });
const fail = (requestId: string, error: string): void =>
  send({ type: 'response', requestId, error });
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const denied = (permission: string, operation: string): void =>
  send({ type: 'permission_denied', permission, operation });

const HOOKS: Readonly<Record<string, readonly [kind: string, permission: string, member: string]>> =
  {
    register_interceptor: ['interceptor', 'interceptor', 'registerInterceptor'],
    register_context_handler: ['contextHandler', 'context_handler', 'registerContextHandler'],
    register_message_content_processor: [
      'contentProcessor',
      'chat_mutation',
      'registerMessageContentProcessor',
    ],
    register_macro_interceptor: [
      'macroInterceptor',
      'macro_interceptor',
      'registerMacroInterceptor',
    ],
    register_world_info_interceptor: [
      'worldInfoInterceptor',
      'generation',
      'registerWorldInfoInterceptor',
    ],
  };

const GENERATION = [
  'GENERATION_STARTED',
  'GENERATION_IN_PROGRESS',
  'GENERATION_ENDED',
  'GENERATION_STOPPED',
  'STREAM_TOKEN_RECEIVED',
];

async function hear(message: Message): Promise<void> {
  const { type, requestId } = message;
  if (type !== 'log') lastMs = Date.now();
  if (type === 'log') {
    if (message['message'] === '__worker_ready__') return ready();
    if (process.env['ORACLE_LOG'] === '1') console.error(message['level'], message['message']);
    return;
  }
  const hook = HOOKS[type];
  if (hook !== undefined) {
    const [kind, permission, member] = hook;
    if (has(permission)) registered.hooks.set(kind, message['priority'] ?? 100);
    else denied(permission, member);
    return;
  }
  if (type.endsWith('_result')) return answers.get(requestId)?.(message);
  switch (type) {
    case 'subscribe_event':
      if (GENERATION.includes(message['event']) && !has('generation')) {
        return denied('generation', `subscribe_event:${message['event']}`);
      }
      return void registered.events.add(message['event']);
    case 'unsubscribe_event':
      return void registered.events.delete(message['event']);
    case 'register_macro':
      return void registered.macros.add(String(message['definition'].name).trim().toLowerCase());
    case 'unregister_macro':
      pushed.delete(String(message['name']).toLowerCase());
      return void registered.macros.delete(String(message['name']).toLowerCase());
    case 'update_macro_value':
      return void pushed.set(String(message['name']).toLowerCase(), String(message['value'] ?? ''));
    case 'register_tool':
      if (!has('tools')) return denied('tools', 'registerTool');
      return void registered.tools.set(message['tool'].name, message['tool']);
    case 'unregister_tool':
      return void registered.tools.delete(message['name']);
    case 'commands_register':
      registered.commands = message['commands'].map(({ id }: Message) => JSON.stringify(id));
      return;
    case 'commands_unregister':
      registered.commands = registered.commands.filter(
        (id) => message['commandIds'].length > 0 && !message['commandIds'].includes(JSON.parse(id)),
      );
      return;
    case 'rpc_pool_sync':
      registered.endpoints.add(message['endpoint']);
      return void rpcValues.set(message['endpoint'], message['value']);
    case 'rpc_pool_register_handler':
      return void registered.endpoints.add(message['endpoint']);
    case 'rpc_pool_unregister':
      return void registered.endpoints.delete(message['endpoint']);
    case 'rpc_pool_read':
      if (rpcValues.has(message['endpoint']))
        return reply(requestId, rpcValues.get(message['endpoint']));
      return fail(requestId, `Shared RPC endpoint "${message['endpoint']}" is not registered`);
    case 'permissions_get_granted':
      return reply(requestId, granted);
    case 'cancel_generation':
      return;
    case 'request_generation':
    case 'request_generation_stream':
      return generate(message);
    case 'toast_show': {
      const { toastType, ...rest } = message;
      effects.push(effectOf(`toast.${toastType}`, [without(rest)]));
      return;
    }
    case 'ui_navigate': {
      const { action, ...rest } = message;
      const member = String(action).replaceAll(/_(.)/g, (_, letter) => letter.toUpperCase());
      effects.push(effectOf(`ui.${member}`, [without(rest)]));
      return reply(requestId, null);
    }
    case 'cors_request':
      return cors(message);
    default:
  }
  if (/^(?:user_)?storage_/.test(type)) return store(message);
  if (type.startsWith('vars_')) return variable(message);
  if (type.startsWith('enclave_')) return keep(message);
  if (type.startsWith('ephemeral_')) return remember(message);
  const member = MEMBER_OF[type];
  if (member === undefined) return fail(requestId, `Unrecognized message type: "${type}"`);
  const needs = PERMISSIONS[member.split('.')[0] ?? ''];
  if (needs !== undefined && !has(needs)) {
    return fail(
      requestId,
      `PERMISSION_DENIED: ${needs} — ${wordsOf(needs)} permission not granted`,
    );
  }
  effects.push(effectOf(member, [without(message)]));
  if (requestId === undefined) return;
  reply(requestId, answerOf(member, message['template'] ?? '', scenario));
}

const PERMISSIONS: Readonly<Record<string, string>> = {
  characters: 'characters',
  chats: 'chats',
  chat: 'chat_mutation',
  personas: 'personas',
  global_addons: 'personas',
  presets: 'presets',
  world_books: 'world_books',
  regex_scripts: 'regex_scripts',
  databanks: 'databanks',
  images: 'images',
  media: 'media',
  imageGen: 'image_gen',
  connections: 'generation',
  memories: 'memories',
  events: 'event_tracking',
  theme: 'app_manipulation',
  push: 'push_notification',
  webSearch: 'web_search',
};

function wordsOf(permission: string): string {
  const words = permission.replaceAll('_', ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

function without({ type: _type, requestId: _request, ...rest }: Message): object {
  return rest;
}

async function generate({ type, requestId, input }: Message): Promise<void> {
  const { type: kind, ...asked } = input;
  const isStream = type === 'request_generation_stream';
  if (!has('generation')) {
    const error = 'PERMISSION_DENIED: generation — Generation permission not granted';
    if (isStream) return send({ type: 'generation_stream_error', requestId, error });
    return fail(requestId, error);
  }
  effects.push(effectOf(`generate.${kind}${isStream ? 'Stream' : ''}`, [asked]));
  busy.add(input);
  await pause(MODEL_MS);
  busy.delete(input);
  lastMs = Date.now();
  const answer = answerOf(`generate.${kind}`, '', scenario) as Message;
  if (!isStream) return reply(requestId, answer);
  send({
    type: 'generation_stream_chunk',
    requestId,
    chunk: { type: 'token', token: answer['content'] },
  });
  send({ type: 'generation_stream_chunk', requestId, chunk: { ...answer, type: 'done' } });
}

async function cors({ requestId, url, options = {} }: Message): Promise<void> {
  const { hostname, pathname, search } = new URL(url);
  const origin = run.origins[hostname];
  if (!has('cors_proxy'))
    return fail(requestId, 'PERMISSION_DENIED: cors_proxy — CORS proxy permission not granted');
  if (origin === undefined) return fail(requestId, 'the host is unreachable');
  busy.add(options);
  const { method = 'GET', headers, body, responseType } = options;
  const response = await fetch(`${origin}${pathname}${search}`, { method, headers, body });
  const bytes = new Uint8Array(await response.arrayBuffer());
  busy.delete(options);
  lastMs = Date.now();
  const isBinary = responseType === 'arraybuffer';
  reply(requestId, {
    status: response.status,
    statusText: response.statusText,
    headers: Object.fromEntries(response.headers),
    body: isBinary ? Buffer.from(bytes).toString('base64') : new TextDecoder().decode(bytes),
    ...(isBinary ? { encoding: 'base64' } : {}),
  });
}

/** Files, as Lumiverse's host keeps them. */
function store(message: Message): void {
  const { type, requestId } = message;
  const isUser = type.startsWith('user_');
  const root = path.join(run.storage, isUser ? 'user' : 'data');
  fs.mkdirSync(root, { recursive: true });
  const at = (name: string): string => {
    const target = path.resolve(root, name);
    if (target !== root && !target.startsWith(`${root}${path.sep}`))
      throw new Error('Path traversal detected');
    return target;
  };
  try {
    const op = type.replace(/^(?:user_)?storage_/, '');
    const file = at(message['path'] ?? message['from'] ?? message['prefix'] ?? '.');
    if (op === 'read' || op === 'read_binary') {
      if (!fs.existsSync(file)) return fail(requestId, 'File not found');
      return reply(
        requestId,
        op === 'read' ? fs.readFileSync(file, 'utf8') : new Uint8Array(fs.readFileSync(file)),
      );
    }
    if (op === 'write' || op === 'write_binary') {
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, message['data']);
      return reply(requestId, true);
    }
    if (op === 'delete') fs.rmSync(file, { recursive: true, force: true });
    if (op === 'mkdir') fs.mkdirSync(file, { recursive: true });
    if (op === 'exists') return reply(requestId, fs.existsSync(file));
    if (op === 'list') {
      const names = fs.existsSync(file)
        ? (fs.readdirSync(file, { recursive: true }) as string[])
        : [];
      return reply(
        requestId,
        names.filter((name) => fs.statSync(path.join(file, name)).isFile()),
      );
    }
    if (op === 'move') {
      if (!fs.existsSync(file)) return fail(requestId, 'File not found');
      fs.mkdirSync(path.dirname(at(message['to'])), { recursive: true });
      fs.renameSync(file, at(message['to']));
    }
    if (op === 'stat') {
      const stat = fs.statSync(file, { throwIfNoEntry: false });
      return reply(requestId, {
        exists: stat !== undefined,
        isFile: stat?.isFile() ?? false,
        isDirectory: stat?.isDirectory() ?? false,
        sizeBytes: stat?.size ?? 0,
        modifiedAt: new Date(stat?.mtimeMs ?? 0).toISOString(),
      });
    }
    reply(requestId, true);
  } catch (error) {
    fail(requestId, error instanceof Error ? error.message : String(error));
  }
}

function variable(message: Message): void {
  const [, op = '', scope = ''] = message['type'].split('_');
  const owner = `${scope}:${message['chatId'] ?? ''}`;
  const bag = variables.get(owner) ?? new Map<string, string>();
  variables.set(owner, bag);
  const { key, value, requestId } = message;
  if (op === 'get') return reply(requestId, bag.get(key) ?? '');
  if (op === 'has') return reply(requestId, bag.has(key));
  if (op === 'list') return reply(requestId, Object.fromEntries(bag));
  if (op === 'set') bag.set(key, value);
  if (op === 'delete') bag.delete(key);
  reply(requestId, undefined);
}

function keep({ type, requestId, key, value }: Message): void {
  if (type === 'enclave_get') return reply(requestId, enclave.get(key) ?? null);
  if (type === 'enclave_has') return reply(requestId, enclave.has(key));
  if (type === 'enclave_list') return reply(requestId, [...enclave.keys()]);
  if (type === 'enclave_delete') return reply(requestId, enclave.delete(key));
  enclave.set(key, value);
  reply(requestId, undefined);
}

function remember(message: Message): void {
  const { type, requestId, path: name, data, sizeBytes } = message;
  if (!has('ephemeral_storage'))
    return fail(
      requestId,
      'PERMISSION_DENIED: ephemeral_storage — Ephemeral storage permission not granted',
    );
  if (type.startsWith('ephemeral_read')) {
    return ephemeral.has(name)
      ? reply(requestId, ephemeral.get(name))
      : fail(requestId, 'File not found');
  }
  if (type.startsWith('ephemeral_write')) ephemeral.set(name, data);
  if (type === 'ephemeral_delete') ephemeral.delete(name);
  if (type === 'ephemeral_list') return reply(requestId, [...ephemeral.keys()]);
  if (type === 'ephemeral_request_block')
    return reply(requestId, {
      reservationId: 'block-1',
      sizeBytes,
      expiresAt: new Date().toISOString(),
    });
  if (type === 'ephemeral_pool_status') return reply(requestId, POOL);
  reply(requestId, type === 'ephemeral_clear_expired' ? 0 : undefined);
}

/** Lumiverse's answer for an extension without ephemeral files. */
const POOL = {
  globalMaxBytes: 1_000_000,
  globalUsedBytes: 0,
  globalReservedBytes: 0,
  globalAvailableBytes: 1_000_000,
  extensionMaxBytes: 1_000_000,
  extensionUsedBytes: 0,
  extensionReservedBytes: 0,
  extensionAvailableBytes: 1_000_000,
  fileCount: 0,
  fileCountMax: 250,
};

function ask(message: object): Promise<Message> {
  const requestId = crypto.randomUUID();
  busy.add(message);
  return new Promise<Message>((resolve) => {
    answers.set(requestId, resolve);
    send({ ...message, requestId });
    setTimeout(() => resolve({ error: 'no answer' }), 5_000);
  }).finally(() => {
    busy.delete(message);
    lastMs = Date.now();
    answers.delete(requestId);
  });
}

const settle = async (): Promise<void> => {
  const began = Date.now();
  lastMs = began;
  while (Date.now() - began < 8_000 && (busy.size > 0 || Date.now() - lastMs < QUIET_MS))
    await pause(20);
};

// oxlint-disable-next-line typescript/no-explicit-any -- Lumiverse's own classes
type Chain = any;

/** Lumiverse's own chain of a kind, with the extension's handler as its only one. */
async function chain(file: string, name: string): Promise<Chain> {
  const module = await import(path.resolve(path.dirname(runtime), file));
  return module[name];
}

async function handle({
  handle: kind,
  context,
}: Extract<SpindleStep, { readonly handle: unknown }>): Promise<unknown> {
  const asked = (type: string) => async (ctx: unknown) => {
    const { error, context: after, result } = await ask({ type, context: ctx, ctx });
    if (error !== undefined) throw new Error(String(error));
    return type === 'context_handler_request' ? after : result;
  };
  const handler = { extensionId: run.id, priority: 100 };
  if (kind === 'contextHandler') {
    return asked('context_handler_request')(context).catch(() => context);
  }
  if (kind === 'contentProcessor') {
    const patch = (await asked('message_content_processor_request')(context).catch(
      () => null,
    )) as Message | null;
    if (patch === null || patch === undefined) return context;
    const { content = context['content'], extra } = patch;
    const merged = { ...(context['extra'] as object | undefined), ...extra };
    return { ...context, content, ...(extra === undefined ? {} : { extra: merged }) };
  }
  if (kind === 'macroInterceptor') {
    const macros = await chain('macro-interceptor.ts', 'macroInterceptorChain');
    const stop = macros.register({ ...handler, handler: asked('macro_interceptor_request') });
    const { text } = await macros.run(context);
    stop();
    return text;
  }
  const books = await chain('world-info-interceptor.ts', 'worldInfoInterceptorChain');
  const stop = books.register({ ...handler, handler: asked('world_info_interceptor_request') });
  const { entries, ...rest } = context;
  const working = await books.run(entries, rest);
  stop();
  return working;
}

/** A chat as Lumiverse flattens it. */
function textOf(messages: readonly Message[]): string {
  return messages
    .map(({ role, content }) => (role === 'system' ? content : `${role}: ${content}`))
    .join('\n\n');
}

async function act(step: SpindleStep): Promise<unknown> {
  if ('boot' in step) return undefined;
  if ('message' in step) {
    return send({ type: 'frontend_message', payload: step.message, userId: 'user-1' });
  }
  if ('event' in step) {
    if (registered.events.has(step.event))
      send({ type: 'event', event: step.event, payload: step.payload, userId: 'user-1' });
    return undefined;
  }
  if ('intercept' in step) {
    if (!registered.hooks.has('interceptor')) return { messages: step.intercept, parameters: {} };
    const answer = await ask({
      type: 'intercept_request',
      messages: step.intercept,
      context: { userId: 'user-1', ...step.context },
    });
    const { messages, parameters = {}, breakdown } = answer;
    return {
      messages,
      parameters: has('generation_parameters') ? parameters : {},
      ...(breakdown === undefined ? {} : { breakdown }),
    };
  }
  if ('handle' in step) {
    return registered.hooks.has(step.handle) ? handle(step) : null;
  }
  if ('macro' in step) {
    const name = step.macro.toLowerCase();
    if (!registered.macros.has(name)) return `{{${[step.macro, ...(step.args ?? [])].join('::')}}}`;
    const cached = pushed.get(name);
    if (cached !== undefined) return cached;
    const requestId = crypto.randomUUID();
    busy.add(step);
    const answer = await new Promise<Message>((resolve) => {
      answers.set(requestId, resolve);
      send({
        type: 'event',
        event: '__macro_invoke__',
        payload: {
          requestId,
          name,
          context: {
            name: step.macro,
            args: step.args ?? [],
            commit: true,
            env: { chat: { id: 'chat-1' } },
          },
        },
      });
      setTimeout(() => resolve({}), 6_000);
    });
    busy.delete(step);
    return answer['result'] ?? '';
  }
  if ('command' in step) {
    return send({ type: 'command_invoked', commandId: step.command, context: step.context ?? {} });
  }
  if ('oauth' in step) {
    const { html, error } = await ask({ type: 'oauth_callback', params: step.oauth });
    return error === undefined ? { html } : { error };
  }
  const { tool: toolName, args: given = {}, councilMember, contextMessages } = step;
  // Lumiverse adds both to the arguments of a council's call.
  const args = {
    ...given,
    ...((councilMember ?? contextMessages) === undefined
      ? {}
      : { context: textOf(contextMessages ?? []), __deadlineMs: Date.now() + 30_000 }),
  };
  const { result, error } = await ask({
    type: 'tool_invocation',
    toolName,
    args,
    ...(councilMember && { councilMember }),
    ...(contextMessages && { contextMessages }),
  });
  return error === undefined ? { result } : { error };
}

const written: unknown = manifest['entry_backend'];
const entry = typeof written === 'string' ? written : 'dist/backend.js';
send({
  type: 'init',
  manifest: { ...manifest, entry_backend: path.resolve(run.directory, entry) },
  storagePath: path.join(run.storage, 'data'),
});
await Promise.race([isReady, pause(10_000)]);
await settle();
for (const step of scenario.steps) {
  if (!('boot' in step)) effects = [];
  const result = await act(step);
  await settle();
  const registrations = {
    events: [...registered.events].toSorted(),
    hooks: Object.fromEntries(registered.hooks),
    macros: [...registered.macros].toSorted(),
    tools: [...registered.tools.keys()].toSorted(),
    endpoints: [...registered.endpoints].toSorted(),
    commands: registered.commands.toSorted(),
  };
  // An error that nothing catches ends the process of Lumiverse's runtime.
  if (died) {
    console.log(JSON.stringify('the runtime ended'));
    continue;
  }
  const answer = {
    ...(result === undefined ? {} : { result }),
    effects: comparable(effects, scenario),
    ...('boot' in step ? { registrations } : {}),
  };
  console.log(JSON.stringify(answer));
}
worker.kill();
process.exit(0);
