import type { AnyNode } from 'acorn';
import type { Finding, Member } from './finding.js';
import { isPassedOn } from './passed-on.js';
import type { Reading } from './reading.js';

/** Packages that a plugin gets as its own `fetch`. */
export const FETCH_MODULES: ReadonlySet<string> = new Set(
  'cross-fetch isomorphic-fetch isomorphic-unfetch node-fetch undici unfetch'.split(' '),
);

/** The request of a call to the URL of its first argument. */
export function network(name: string, node: AnyNode, member: Member, { texts }: Reading): Finding {
  const [target] = member.call?.arguments ?? [];
  const url = texts(target);
  const scope = url === undefined ? undefined : hostOf(url.text, url.whole);
  return scope === undefined
    ? { permission: 'network', why: `${name} of an address that is built at run time`, node }
    : { permission: 'network', scope, why: name, node };
}

/** `https://host` or `http://host`, if the text contains the complete origin. */
export function hostOf(text: string, whole: boolean): string | undefined {
  const origin = /^(https?):\/\/([^/?#@\\\s]+)(?<end>[/?#]|$)/i.exec(text);
  if (origin === null || (origin.groups?.['end'] === '' && !whole)) return undefined;
  const url = `${origin[1] ?? ''}://${origin[2] ?? ''}`;
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

/** What a member of one of {@link FETCH_MODULES} needs. */
export function fetchFindings(
  name: string,
  operation: string,
  node: AnyNode,
  member: Member,
  reading: Reading,
): readonly Finding[] {
  if (CONNECTIONS.has(operation) && member.call?.type === 'NewExpression') {
    return [network(`${name}.${operation}`, node, member, reading)];
  }
  if (!REQUESTS.has(operation)) return [];
  // guard: imported-fetch-found
  if (member.call?.type === 'CallExpression') return [network(name, node, member, reading)];
  return passedOn(name, node, member, reading);
}

/** What a member of `http` or `https` needs. */
export function httpFindings(
  name: string,
  operation: string,
  node: AnyNode,
  member: Member,
  reading: Reading,
): readonly Finding[] {
  if (operation === 'request' || operation === 'get') {
    return [network(`${name}.${operation}`, node, member, reading)];
  }
  return operation === '' ? passedOn(name, node, member, reading) : [];
}

/**
 * What code may send that gets the module, or its `fetch`, as a value: `const { fetch = crossFetch } = options`,
 * `const transport = isSecure ? https : http`.
 */
function passedOn(
  name: string,
  node: AnyNode,
  member: Member,
  reading: Reading,
): readonly Finding[] {
  // The uses of the variable are found.
  if (isEvaluator(node) && isHeld(member.node, reading)) return [];
  // guard: passed-fetch-found
  if (member.call !== undefined || !isPassedOn(member.node, reading, mayRequest)) return [];
  const why = `${name} of an address that is built at run time`;
  return [{ permission: 'network', why, node }];
}

/** Whether a variable gets the module of an evaluator: `const https = require('https')`. */
function isHeld(node: AnyNode, { parentOf }: Reading): boolean {
  if (node.type === 'MemberExpression') return false;
  const holder = parentOf(node);
  if (holder?.type === 'VariableDeclarator') return true;
  return holder?.type === 'AssignmentExpression' && holder.left.type === 'Identifier';
}

/** Whether a target takes the whole value, or a function of it that sends requests. */
function mayRequest(target: AnyNode): boolean {
  if (target.type !== 'ObjectPattern') return true;
  return target.properties.some(
    (one) =>
      one.type === 'RestElement' ||
      (one.key.type === 'Identifier' && /^(?:default|fetch|get|request)$/.test(one.key.name)),
  );
}

/** esbuild's function that evaluates a module and returns it: `require_https`. */
export function isEvaluator(node: AnyNode): boolean {
  return node.type === 'Identifier' && node.name.startsWith('require_');
}

/** Members that send a request to the URL of the first argument. `''` and `default`: the default export. */
const REQUESTS: ReadonlySet<string> = new Set(['', 'default', 'fetch', 'request']);

/** Classes of undici for the origin of their first argument. */
const CONNECTIONS: ReadonlySet<string> = new Set(['BalancedPool', 'Client', 'Pool']);
