import type { AnyNode, CallExpression, NewExpression } from 'acorn';
import type { Finding, Member } from './finding.js';
import { askFiles, READS, WRITES } from './files.js';
import { powerOfMember, spindlePower } from './powers.js';
import type { Reading, Use } from './reading.js';

/** What a use of a global, or of a module's member, needs. */
export function judge(use: Use, reading: Reading): readonly Finding[] {
  const { node, of } = use;
  // Where a name is made, nothing is used yet.
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

/** Follows members from a name on: `powers['x.y']`, `import_fs.default.promises`. */
function memberAt(start: AnyNode, { parentOf, texts }: Reading): Member {
  const path: string[] = [];
  let node = start;
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
  // `(0, fs.readFile)(…)` and `fs?.readFile(…)` are calls of what they hold.
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
      return [{ permission: 'time', scope: 'true', why: `Intl.${first ?? ''}`, node }];
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
      if (first === 'file') return askFiles('readFile', node, member, reading);
      return first === 'write' ? askFiles('writeFile', node, member, reading) : [];
    case 'env':
      return first === 'get' ? envGet(node, member, reading) : [];
    case 'readFile':
      return askFiles('readFile', node, member, reading);
    case 'storage':
      return first === undefined
        ? []
        : [{ permission: 'storage', scope: 'true', why: `storage.${first}`, node }];
    case 'powers':
      return [power(first, `powers.${first ?? '…'}`, node)];
    case 'spindle':
      return spindlePower(member.path).map((found) => ({ ...found, node }));
    default:
      return [];
  }
}

function judgeModule(
  name: string,
  node: AnyNode,
  member: Member,
  reading: Reading,
): readonly Finding[] {
  const operation = member.path.findLast((key) => key !== 'promises') ?? '';
  if (name === 'fs' || name === 'fs/promises') {
    const base = operation.replace(/Sync$/, '');
    if (READS.has(base) || WRITES.has(base)) return askFiles(base, node, member, reading);
    return [];
  }
  if (name === 'bun') return judgeGlobal('Bun', node, member, reading);
  if (name === 'process') return judgeGlobal('process', node, member, reading);
  if (name === 'perf_hooks')
    return judgeGlobal('performance', node, { ...member, path: member.path.slice(1) }, reading);
  if (name === '@vellumai/plugin-api') {
    const found = powerOfMember(operation);
    return found === undefined ? [] : [power(found, operation, node)];
  }
  if (NEVER.has(name) && operation !== '' && member.call !== undefined) {
    return [{ permission: 'none', why: `${name}.${operation}: no permission allows it`, node }];
  }
  return [];
}

/** Modules that nothing grants. */
const NEVER: ReadonlySet<string> = new Set(
  'child_process cluster worker_threads vm net tls dgram dns http https http2 inspector sqlite bun:sqlite bun:ffi'.split(
    ' ',
  ),
);

function network(name: string, node: AnyNode, member: Member, { texts }: Reading): Finding {
  const [target] = member.call?.arguments ?? [];
  const url = texts(target);
  const scope = url === undefined ? undefined : hostOf(url.text, url.whole);
  return scope === undefined
    ? { permission: 'network', why: `${name} of an address that is made at run time`, node }
    : { permission: 'network', scope, why: name, node };
}

/** `https://host` or `http://host`, where the text says all of it. */
export function hostOf(text: string, whole: boolean): string | undefined {
  const origin = /^(https?):\/\/([^/?#@\\\s]+)(?<end>[/?#]|$)/i.exec(text);
  if (origin === null || (origin.groups?.['end'] === '' && !whole)) return undefined;
  const url = `${origin[1] ?? ''}://${origin[2] ?? ''}`;
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

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
  { parentOf }: Reading,
): readonly Finding[] {
  if (key !== undefined) {
    // What every process has, and a plugin's has not, is asked for to find out where one runs.
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
  return [{ permission: 'env', why: `${of} with a name that is made at run time`, node }];
}

function envGet(node: AnyNode, { call }: Member, { texts }: Reading): readonly Finding[] {
  const key = texts(call?.arguments[0]);
  return key?.whole === true
    ? [{ permission: 'env', scope: key.text, why: 'env.get', node }]
    : [{ permission: 'env', why: 'env.get of a name that is made at run time', node }];
}

function power(name: string | undefined, why: string, node: AnyNode): Finding {
  return name === undefined
    ? { permission: 'powers', why: 'powers by a name that is made at run time', node }
    : { permission: 'powers', scope: name, why, node };
}
