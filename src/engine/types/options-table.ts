import { isRecord } from '../../../sandbox/wire/json.js';
import type { AuditOptions } from '../../audit/options.js';
import type { ToolPolicy } from '../../approval/policy.js';
import type { HostOverride } from '../../brokers/network/overrides.js';
import type { PowerDefinition } from '../../brokers/powers/host-powers.js';
import type { IdentityOptions } from '../../remotes/identity.js';
import type { EngineHookOptions } from './hook-options.js';
import {
  anyText,
  checkedElsewhere,
  checkOptions,
  count,
  either,
  flag,
  list,
  listener,
  listOf,
  members,
  milliseconds,
  oneOf,
  type OptionForm,
  type OptionForms,
  record,
  signal,
  text,
  texts,
} from './option-forms.js';
import { DEFAULT_LIMITS } from './limits.js';
import type { CoreTool } from './core-tool.js';
import type { CallOptions, EngineOptions, NetworkOptions, WallOptions } from './options.js';

const pluginIds = texts('["notes"]');
/** Names of tools. */
export const toolNames: OptionForm = texts('["notes__list"]');

/** Which tools may be used. */
export const policy: OptionForm = members<ToolPolicy>({
  allowedToolCategories: texts('["search"]'),
  allowedTools: toolNames,
  blockedTools: toolNames,
});

/** What decides on calls that need approval. */
export const approver: OptionForm = listener(
  'a function that answers a request, e.g. (request) => "once"',
);

/** What each option of `createEngine` takes. */
export const ENGINE_OPTIONS: OptionForms<EngineOptions> = {
  plugins: checkedElsewhere,
  enclaveKeyFile: text,
  timeZone: checkedElsewhere,
  startTime: checkedElsewhere,
  inspector: checkedElsewhere,
  replicas: checkedElsewhere,
  isolation: checkedElsewhere,
  packages: checkedElsewhere,
  packageBuilds: {
    takes: '"node" or "browser" by package, by plugin id, e.g. { notes: { mammoth: "node" } }',
    fits: (value) =>
      isRecord(value) &&
      Object.values(value).every(
        (one) =>
          isRecord(one) &&
          Object.values(one).every((build) => build === 'node' || build === 'browser'),
      ),
  },
  trustFile: text,
  defaultPlugins: texts('["./plugins/*"]'),
  workspace: text,
  coreTools: listOf<CoreTool>('tools', {
    name: checkedElsewhere,
    description: anyText,
    inputSchema: checkedElsewhere,
    risk: oneOf('low', 'medium', 'high'),
    category: anyText,
    exclusive: flag,
    timeoutMs: checkedElsewhere,
    execute: listener('a function of an input'),
  }),
  programs: flag,
  collisions: oneOf('isolate', 'strict'),
  grant: checkedElsewhere,
  lockFile: text,
  lockedPlugins: pluginIds,
  config: either(
    {
      takes: 'an object with an object for each plugin id, e.g. { notes: { enabled: false } }',
      fits: (value) =>
        isRecord(value) && Object.values(value).every((one) => one === undefined || isRecord(one)),
    },
    listener('a function of a plugin'),
  ),
  env: {
    takes: 'an object of texts by name, e.g. process.env',
    fits: (value) =>
      isRecord(value) &&
      Object.values(value).every((one) => one === undefined || typeof one === 'string'),
  },
  secrets: either(
    {
      takes: 'an object with bindings by variable for each plugin id',
      fits: (value) => isRecord(value) && Object.values(value).every(isRecord),
    },
    listener('a function'),
  ),
  hostMode: pluginIds,
  powers: listOf<PowerDefinition>('powers', {
    name: checkedElsewhere,
    description: anyText,
    permission: checkedElsewhere,
    arguments: checkedElsewhere,
    result: checkedElsewhere,
    risk: checkedElsewhere,
    timeoutMs: checkedElsewhere,
    maxArgumentBytes: checkedElsewhere,
    maxResultBytes: checkedElsewhere,
    handler: checkedElsewhere,
  }),
  credentials: {
    ...either(listener('a function of a plugin and a key'), {
      takes: 'an object with a function resolve',
      fits: (value) => isRecord(value) && typeof value['resolve'] === 'function',
    }),
    members: { resolve: checkedElsewhere, store: listener('a function') },
  },
  approve: approver,
  tolerance: checkedElsewhere,
  riskPolicy: oneOf('proven', 'author'),
  trustHints: pluginIds,
  hooks: members<EngineHookOptions>({
    semantics: checkedElsewhere,
    throws: checkedElsewhere,
    init: checkedElsewhere,
    assistantVersion: text,
  }),
  watch: flag,
  rules: text,
  effects: oneOf('ask', 'audit', 'off'),
  policy,
  limits: { ...record, names: Object.keys(DEFAULT_LIMITS) },
  network: members<NetworkOptions>({
    overrides: listOf<HostOverride>('{ host, url }', { host: text, url: text }),
    ca: {
      takes: 'a list of certificates in PEM',
      fits: (value) =>
        Array.isArray(value) &&
        value.every(
          (one) => typeof one === 'string' && one.includes('-----BEGIN CERTIFICATE-----'),
        ),
    },
    proxy: text,
    answer: listener('a function of a Request'),
  }),
  remotes: list('servers'),
  remotesWaitMs: milliseconds,
  identity: members<IdentityOptions>({
    issuer: either(text, listener('a function')),
    key: record,
    subject: text,
    account: record,
  }),
  background: pluginIds,
  idempotent: toolNames,
  record: toolNames,
  trustGroups: checkedElsewhere,
  walls: members<WallOptions>({
    require: texts('["no-network"]'),
    use: texts('["no-network"]'),
    paranoid: flag,
    users: members<NonNullable<WallOptions['users']>>({ first: count, count }),
  }),
  cacheDirectory: text,
  storageDirectory: text,
  logger: {
    takes: 'an object with the functions debug, info, warn and error, e.g. a logger of pino',
    fits: (value) =>
      isRecord(value) &&
      ['debug', 'info', 'warn', 'error'].every(
        (name) => typeof Reflect.get(value, name) === 'function',
      ),
  },
  onEvent: listener('a function of an event'),
  audit: {
    ...members<AuditOptions>({
      file: text,
      store: record,
      inputs: oneOf('none', 'digest', 'full'),
      redact: texts('["password"]'),
      sync: oneOf('always', 'second', 'never'),
      signKey: text,
      signCommand: texts('["sign"]'),
      publicKey: text,
      checkpointEvery: count,
      anchors: list('targets'),
      exceptions: texts('["what is weaker"]'),
      maxFileBytes: count,
      keepFiles: count,
    }),
    takes: 'the file of the log, e.g. audit: { file: ".bulkhead/audit.jsonl" }, or a store',
  },
};

const CALL_OPTIONS: OptionForms<CallOptions> = {
  signal,
  onProgress: listener('a function'),
  timeoutMs: milliseconds,
  context: record,
  incomplete: flag,
  tenant: anyText,
  policy,
  unattended: flag,
  dryRun: flag,
  onOutput: listener('a function of a text'),
  client: record,
  record: flag,
  approve: approver,
  approval: text,
};

/** Throws `INVALID_OPTIONS` for wrong options of `engine.call`. */
export function checkCallOptions(options: CallOptions): void {
  checkOptions(options, CALL_OPTIONS, 'engine.call');
}
