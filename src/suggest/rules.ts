import type {
  AnyNode,
  ArrowFunctionExpression,
  CallExpression,
  FunctionDeclaration,
  FunctionExpression,
  NewExpression,
} from 'acorn';
import type { PluginInterface, PowerNeed } from '../formats/format.js';
import { formats } from '../formats/table.js';
import { insteadOf } from '../plugin/absent-globals.js';
import { CRYPTO_AS_VALUE, cryptoFindings, cryptoValue } from './crypto-rules.js';
import { fileFindings, READS, WRITES } from './file-rules.js';
import type { Finding, Member } from './finding.js';
import {
  FETCH_MODULES,
  fetchFindings,
  httpFindings,
  isEvaluator,
  network,
} from './network-rules.js';
import type { Reading, Use } from './reading.js';

/** The permissions that a use of a global or of a module's member needs. */
export function judge(
  use: Use,
  reading: Reading,
  { hasCryptoRandom }: { readonly hasCryptoRandom: boolean },
): readonly Finding[] {
  const found = judgeUse(use, reading);
  if (hasCryptoRandom) return found;
  return found
    .filter(({ why }) => why !== CRYPTO_AS_VALUE)
    .map((finding) =>
      finding.why.startsWith('crypto.')
        ? { permission: 'none', why: `${finding.why}: no permission allows it`, node: finding.node }
        : finding,
    );
}

function judgeUse(use: Use, reading: Reading): readonly Finding[] {
  const { node, of } = use;
  // A destructuring pattern declares the name and does not use it.
  const parent = reading.parentOf(node);
  if (parent?.type === 'Property' && reading.parentOf(parent)?.type === 'ObjectPattern') return [];
  const member = memberAt(node, reading);
  return of.kind === 'global'
    ? judgeGlobal(of.name, node, member, reading)
    : judgeModule(
        of.name,
        node,
        of.member === undefined ? member : { ...member, path: [of.member, ...member.path] },
        reading,
      );
}

/** Follows the members after a name: `powers['x.y']`, `import_fs.default.promises`, `require_fs().promises`. */
function memberAt(start: AnyNode, { parentOf, texts }: Reading): Member {
  const path: string[] = [];
  let node = importOf(start, parentOf);
  for (let parent = parentOf(node); parent?.type === 'MemberExpression'; parent = parentOf(node)) {
    if (parent.object !== node) break;
    const key =
      !parent.computed && parent.property.type === 'Identifier'
        ? parent.property.name
        : texts(parent.property)?.text;
    if (key === undefined) break;
    path.push(key);
    node = parent;
  }
  // `(0, fs.readFile)(…)` and `fs?.readFile(…)` are calls of their inner expression.
  let callee = node;
  let outer = parentOf(node);
  while (outer?.type === 'SequenceExpression' || outer?.type === 'ChainExpression') {
    callee = outer;
    outer = parentOf(outer);
  }
  return {
    path: path.filter((key) => key !== 'default'),
    node,
    call: isCall(outer) && outer.callee === callee ? outer : undefined,
  };
}

/**
 * The import that a module's evaluator stands for: `require_fs()`, `__toESM(require_fs())` or
 * `await Promise.resolve().then(() => __toESM(require_fs()))`. Another name stands for itself.
 */
function importOf(start: AnyNode, parentOf: Reading['parentOf']): AnyNode {
  const called = parentOf(start);
  if (!isEvaluator(start) || called?.type !== 'CallExpression' || called.callee !== start) {
    return start;
  }
  let node: AnyNode = called;
  const outer = parentOf(node);
  if (outer?.type === 'CallExpression' && isInterop(outer.callee)) node = outer;
  const arrow = parentOf(node);
  if (arrow?.type !== 'ArrowFunctionExpression' || arrow.body !== node) return node;
  const then = parentOf(arrow);
  const awaited = then && parentOf(then);
  return awaited?.type === 'AwaitExpression' ? awaited : node;
}

/** esbuild's function that makes a namespace of a CommonJS module: `__toESM`. */
function isInterop(node: AnyNode): boolean {
  return node.type === 'Identifier' && /^__toESM\d*$/.test(node.name);
}

function isCall(node: AnyNode | undefined): node is CallExpression | NewExpression {
  return node?.type === 'CallExpression' || node?.type === 'NewExpression';
}

function judgeGlobal(
  name: string,
  node: AnyNode,
  member: Member,
  reading: Reading,
): readonly Finding[] {
  const [first] = member.path;
  switch (name) {
    case 'fetch':
    case 'Request':
      return member.call === undefined && name === 'Request'
        ? []
        : [network(name, node, member, reading)];
    case 'Date':
      return isClock(member)
        ? [{ permission: 'time', scope: 'true', why: clockWord(member), node }]
        : [];
    case 'performance':
      return first === 'now' || first === 'timeOrigin'
        ? [{ permission: 'time', scope: 'true', why: `performance.${first}`, node }]
        : [];
    case 'Intl':
      // The others read no clock.
      return first === undefined || first === 'DateTimeFormat'
        ? [{ permission: 'time', scope: 'true', why: `Intl.${first ?? ''}`, node }]
        : [];
    case 'crypto':
      return first === undefined ? cryptoValue(node, reading) : cryptoFindings(first, node);
    case 'Math':
      return first === 'random'
        ? [{ permission: 'random', scope: 'true', why: 'Math.random', node }]
        : [];
    case 'process':
      return first === 'env'
        ? [variable('process.env', member.path[1], node, member, reading)].flat()
        : [];
    case 'Bun':
      if (first === 'env')
        return [variable('Bun.env', member.path[1], node, member, reading)].flat();
      if (first === 'file') return fileFindings('readFile', node, member, reading);
      return first === 'write' ? fileFindings('writeFile', node, member, reading) : [];
    case 'env':
      return first === 'get' ? envGet(node, member, reading) : [];
    case 'readFile':
      return fileFindings('readFile', node, member, reading);
    case 'storage':
      return first === undefined
        ? []
        : [{ permission: 'storage', scope: 'true', why: `storage.${first}`, node }];
    case 'globalThis':
    case 'self':
    case 'global':
      return first === undefined
        ? []
        : judgeGlobal(first, node, { ...member, path: member.path.slice(1) }, reading);
    case 'powers':
      return [power(first, `powers.${first ?? '…'}`, node)];
    default:
      return [
        ...judgeInterface('global', name, member.path, node),
        ...(requestsUrl(name, first) ? [network(`${name}.${first}`, node, member, reading)] : []),
        ...absentFindings(name, node, reading),
      ];
  }
}

/** A global that plugins do not have. Code that tests for it, as `typeof window` does, can do without it. */
function absentFindings(
  name: string,
  node: AnyNode,
  { uses, parentOf }: Reading,
): readonly Finding[] {
  const instead = insteadOf(name);
  if (instead === undefined) return [];
  const isTested = uses.some(
    ({ node: other, of }) =>
      of.kind === 'global' && of.name === name && parentOf(other)?.type === 'UnaryExpression',
  );
  if (isTested) return [];
  return [{ permission: 'none', why: `plugins have no ${name}: ${instead}`, node, absent: true }];
}

/** The permission that a member of a plugin system's own global or module needs. */
function judgeInterface(
  kind: PluginInterface['kind'],
  name: string,
  path: readonly string[],
  node: AnyNode,
): readonly Finding[] {
  const need = INTERFACES.find((one) => one.kind === kind && one.name === name)?.needs(path);
  if (need === undefined) return [];
  const why = (kind === 'global' ? [name, ...path.slice(0, 2)] : path).join('.');
  return [{ ...need, why, node }];
}

/** Whether a member of a system's own global sends a request to the URL of its first argument. */
function requestsUrl(name: string, member = ''): boolean {
  return INTERFACES.some((one) => one.name === name && one.requests?.includes(member));
}

/** The power of the host that a use of a plugin system's own global or module asks for. */
export function powerUsed({ node, of }: Use, reading: Reading): PowerNeed | undefined {
  const found = INTERFACES.find((one) => one.kind === of.kind && one.name === of.name);
  return found?.powerOf?.(memberAt(node, reading).path);
}

const INTERFACES: readonly PluginInterface[] = formats.flatMap((one) => one.interfaces ?? []);

function judgeModule(
  name: string,
  node: AnyNode,
  member: Member,
  reading: Reading,
): readonly Finding[] {
  const operation = member.path.findLast((key) => key !== 'promises') ?? '';
  if (name === 'fs' || name === 'fs/promises') {
    const base = operation.replace(/Sync$/, '');
    if (READS.has(base) || WRITES.has(base)) return fileFindings(base, node, member, reading);
    return [];
  }
  if (name === 'bun') return judgeGlobal('Bun', node, member, reading);
  if (name === 'process') return judgeGlobal('process', node, member, reading);
  if (name === 'crypto') {
    const used = member.path.findLast((key) => key !== 'webcrypto');
    return cryptoFindings(used, node);
  }
  if (name === 'sqlite' || name === 'bun:sqlite')
    return databaseFindings(operation, node, member, reading);
  if (name === 'perf_hooks')
    return judgeGlobal('performance', node, { ...member, path: member.path.slice(1) }, reading);
  if (FETCH_MODULES.has(name)) return fetchFindings(name, operation, node, member, reading);
  const needed = judgeInterface('module', name, [operation], node);
  if (needed.length > 0) return needed;
  if (name === 'http' || name === 'https') {
    if (operation !== 'createServer') return httpFindings(name, operation, node, member, reading);
  }
  // These only read text.
  if (name === 'net' && PURE_OF_NET.test(operation)) return [];
  if (name === 'tls' && TLS_LISTS.has(operation)) return [];
  if (name === 'worker_threads' && WITHOUT_THREAD.has(operation)) return [];
  if (DENIED_MODULES.has(name) && operation !== '' && member.call !== undefined) {
    return [{ permission: 'none', why: `${name}.${operation}: no permission allows it`, node }];
  }
  return [];
}

/** The permission for a database in a file. One in memory needs none. */
function databaseFindings(
  operation: string,
  node: AnyNode,
  { call }: Member,
  { texts }: Reading,
): readonly Finding[] {
  if (call?.type !== 'NewExpression' && operation !== 'open') return [];
  const [path] = call?.arguments ?? [];
  const text = texts(path);
  const isInMemory =
    path === undefined || (text?.whole === true && /^(?::memory:)?$/.test(text.text));
  return isInMemory
    ? []
    : [{ permission: 'storage', scope: 'true', why: 'an SQLite database', node }];
}

/** They say what connections could use, and make none. */
const TLS_LISTS: ReadonlySet<string> = new Set(['getCACertificates', 'getCiphers']);

/** They start no thread. */
const WITHOUT_THREAD: ReadonlySet<string> = new Set(['MessageChannel', 'markAsUntransferable']);

/** Modules that no permission allows. */
const DENIED_MODULES: ReadonlySet<string> = new Set(
  'child_process cluster worker_threads vm net tls dgram dns http https http2 inspector bun:ffi'.split(
    ' ',
  ),
);

function isClock({ path, call }: Member): boolean {
  if (path[0] === 'now') return true;
  return (
    path.length === 0 &&
    call !== undefined &&
    (call.type === 'CallExpression' || call.arguments.length === 0)
  );
}

function clockWord({ path, call }: Member): string {
  if (path[0] === 'now') return 'Date.now';
  return call?.type === 'NewExpression' ? 'new Date()' : 'Date()';
}

function variable(
  of: string,
  key: string | undefined,
  node: AnyNode,
  member: Member,
  reading: Reading,
): readonly Finding[] {
  const { parentOf } = reading;
  if (key !== undefined) {
    // Code reads NODE_ENV to detect its environment; a plugin does not need it granted.
    return key === 'NODE_ENV' ? [] : [{ permission: 'env', scope: key, why: `${of}.${key}`, node }];
  }
  const outer = parentOf(member.node);
  if (outer?.type === 'VariableDeclarator' && outer.id.type === 'ObjectPattern') {
    return outer.id.properties.flatMap((property): Finding[] =>
      property.type === 'Property' && property.key.type === 'Identifier'
        ? [{ permission: 'env', scope: property.key.name, why: of, node }]
        : [],
    );
  }
  const named = namesGiven(member.node, reading);
  if (named.length > 0) {
    return named.map(({ name, at }) => ({
      permission: 'env',
      scope: name,
      why: `${of}.${name}`,
      node: at,
      optional: true,
    }));
  }
  return [{ permission: 'env', why: `${of} with a name that is built at run time`, node }];
}

/**
 * The variables that `const readEnv = (name) => process.env[name]` reads: the texts that its calls
 * are given.
 */
function namesGiven(
  environment: AnyNode,
  { parentOf, callsOf, texts }: Reading,
): readonly { readonly name: string; readonly at: AnyNode }[] {
  const read = parentOf(environment);
  if (read?.type !== 'MemberExpression' || !read.computed || read.property.type !== 'Identifier') {
    return [];
  }
  const parameter = read.property.name;
  let node: AnyNode | undefined = read;
  while (node !== undefined && !isFunction(node)) node = parentOf(node);
  if (node === undefined) return [];
  const index = node.params.findIndex((one) => one.type === 'Identifier' && one.name === parameter);
  const holder = parentOf(node);
  const id = node.type === 'FunctionDeclaration' ? node.id : idOf(holder);
  if (index < 0 || id?.type !== 'Identifier') return [];
  return callsOf(id.name).flatMap((call) => {
    const text = texts(call.arguments[index]);
    return text?.whole === true && text.text !== 'NODE_ENV' ? [{ name: text.text, at: call }] : [];
  });
}

function isFunction(
  node: AnyNode,
): node is FunctionDeclaration | FunctionExpression | ArrowFunctionExpression {
  return (
    node.type === 'FunctionDeclaration' ||
    node.type === 'FunctionExpression' ||
    node.type === 'ArrowFunctionExpression'
  );
}

/** What a function is stored in: esbuild assigns the constants of a module that loads lazily. */
function idOf(holder: AnyNode | undefined): AnyNode | undefined {
  if (holder?.type === 'VariableDeclarator') return holder.id;
  return holder?.type === 'AssignmentExpression' ? holder.left : undefined;
}

function envGet(node: AnyNode, { call }: Member, { texts }: Reading): readonly Finding[] {
  const key = texts(call?.arguments[0]);
  return key?.whole === true
    ? [{ permission: 'env', scope: key.text, why: 'env.get', node }]
    : [{ permission: 'env', why: 'env.get of a name that is built at run time', node }];
}

function power(name: string | undefined, why: string, node: AnyNode): Finding {
  return name === undefined
    ? { permission: 'powers', why: 'powers by a name that is built at run time', node }
    : { permission: 'powers', scope: name, why, node };
}

/** What of `net` only computes. */
const PURE_OF_NET = /^(?:isIP|BlockList|[gs]etDefaultAutoSelectFamily)/;
