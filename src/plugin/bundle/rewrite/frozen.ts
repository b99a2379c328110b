import type { AnyNode, AssignmentExpression } from 'acorn';
import type { Edit } from './edits.js';
import { findIntrinsics, isMember, isPrototype } from './intrinsics.js';
import type { Fresh, Rewriting } from './rewriting.js';
import type { Bindings } from './scopes.js';
import type { Sections } from './sections.js';
import { enterAll, type Walk } from './walk.js';

/**
 * Lets code define what it inherits from something frozen. Where everything that JavaScript brings
 * along is frozen, `MyError.prototype.constructor = …` throws, since an assignment may not shadow
 * an inherited property that is read-only. And sloppy code expects that to assign to what is frozen
 * (`Math.sign = Math.sign || …`) does nothing, where strict code throws.
 */
export function evadeFrozen(
  source: {
    readonly text: string;
    readonly walk: Walk;
    readonly bindings: Bindings;
    readonly sections: Sections;
  },
  fresh: Fresh,
): Rewriting {
  const { text, walk, bindings, sections } = source;
  const isIntrinsic = findIntrinsics(bindings);
  const edits: Edit[] = [];
  let put: string | undefined;
  enterAll(walk, (node) => {
    const quiet = (): boolean => sections.at(node.start)?.isCommonJs === true;
    if (node.type === 'AssignmentExpression' && node.operator === '=') {
      if (!definesInherited(node, isIntrinsic)) return;
      put ??= fresh('put');
      edits.push(...callPut(node, text, put, quiet()));
    } else if (node.type === 'ExpressionStatement' && redefines(node.expression, isIntrinsic)) {
      if (!quiet()) return;
      edits.push({ start: node.start, end: node.start, text: 'try { ' });
      edits.push({ start: node.end, end: node.end, text: ' } catch {}' });
    }
  });
  return { edits, prelude: put === undefined ? [] : [putFunction(put)] };
}

/** Names that every object inherits, and that code gives its own objects by assignment. */
const INHERITED = new Set(['constructor', 'toJSON', 'toLocaleString', 'toString', 'valueOf']);

function definesInherited(
  { left }: AssignmentExpression,
  isIntrinsic: (node: AnyNode) => boolean,
): boolean {
  if (left.type !== 'MemberExpression' || left.computed || left.property.type !== 'Identifier') {
    return false;
  }
  const { object, property } = left;
  return (
    object.type !== 'Super' &&
    (isPrototype(object) || INHERITED.has(property.name) || isIntrinsic(object))
  );
}

/** `Object.defineProperty(String.prototype, …)` and whatever else is so called. */
function redefines(expression: AnyNode, isIntrinsic: (node: AnyNode) => boolean): boolean {
  if (expression.type !== 'CallExpression') return false;
  const { callee, arguments: args } = expression;
  if (!isMember(callee, 'defineProperty') && !isMember(callee, 'defineProperties')) return false;
  const [target] = args;
  if (target === undefined) return false;
  const root = target.type === 'MemberExpression' && isPrototype(target) ? target.object : target;
  return isIntrinsic(root);
}

/** `a.b = c` becomes `put(a, "b", c)`: the text of `a` and of `c` stays where it is. */
function callPut(node: AssignmentExpression, text: string, put: string, quiet: boolean): Edit[] {
  const { left } = node;
  if (left.type !== 'MemberExpression' || left.property.type !== 'Identifier') return [];
  const { property } = left;
  const dot = text.lastIndexOf('.', property.start);
  const equals = text.indexOf('=', property.end);
  if (text.slice(property.end, equals).trim() !== '') return [];
  return [
    { start: node.start, end: node.start, text: `${put}${quiet ? '.quietly' : ''}(` },
    { start: dot, end: equals + 1, text: `, "${property.name}",` },
    { start: node.end, end: node.end, text: ')' },
  ];
}

/** On one line. An inherited property that is data, and read-only, is no reason not to have one's own. */
function putFunction(name: string): string {
  return [
    `const ${name} = ((strictly) => Object.assign(strictly(true), { quietly: strictly(false) }))(`,
    '(strict, { Object, Reflect } = globalThis) => (target, name, value) => {',
    'try { target[name] = value; return value; } catch (error) {',
    'if (target === null || target === undefined) throw error;',
    'let holder = Object(target); let found;',
    'for (; holder !== null && found === undefined; holder = Reflect.getPrototypeOf(holder))',
    'found = Reflect.getOwnPropertyDescriptor(holder, name);',
    'if (found !== undefined && found.set !== undefined) throw error;',
    'const inherits = found !== undefined && "value" in found && !Object.hasOwn(target, name);',
    'const own = { value, writable: true, enumerable: true, configurable: true };',
    'const made = inherits && Reflect.defineProperty(Object(target), name, own);',
    'if (!made && strict) throw error; return value; } });',
  ].join(' ');
}
