import type { AnyNode, AssignmentExpression } from 'acorn';
import type { Edit, Fresh, Rewriting } from './edits.js';
import { type Bindings, findIntrinsics, isMember, isPrototype } from './scopes.js';
import type { Sections } from './sections.js';
import { type Walk, enterAll } from './parse.js';

/**
 * Allows code to override properties inherited from frozen intrinsics. An assignment cannot shadow
 * a read-only inherited property, so `MyError.prototype.constructor = …` throws under SES. Sloppy
 * code also expects that an assignment to a frozen object (`Math.sign = Math.sign || …`) does
 * nothing, but strict code throws.
 */
export function avoidFrozenWrites(
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

/** Inherited names that code often assigns on its own objects, such as those of a WeakMap, a RegExp or a function. */
const INHERITED = new Set(
  'constructor toJSON toLocaleString toString valueOf get set has delete add exec test then catch finally apply bind call slice'.split(
    ' ',
  ),
);

/** Methods of arrays, which classes that inherit from arrays replace by functions. */
const OF_ARRAYS = new Set(
  'at entries every fill filter find findIndex flat flatMap forEach includes indexOf join keys lastIndexOf map pop push reduce reduceRight reverse shift some sort splice unshift values'.split(
    ' ',
  ),
);

function isFunction({ type }: AnyNode): boolean {
  return type === 'FunctionExpression' || type === 'ArrowFunctionExpression';
}

function definesInherited(
  { left, right }: AssignmentExpression,
  isIntrinsic: (node: AnyNode) => boolean,
): boolean {
  if (left.type !== 'MemberExpression' || left.computed || left.property.type !== 'Identifier') {
    return false;
  }
  const { object, property } = left;
  return (
    object.type !== 'Super' &&
    (isPrototype(object) ||
      INHERITED.has(property.name) ||
      (OF_ARRAYS.has(property.name) && isFunction(right)) ||
      isIntrinsic(object))
  );
}

/** `Object.defineProperty(String.prototype, …)` and other methods of that name. */
function redefines(expression: AnyNode, isIntrinsic: (node: AnyNode) => boolean): boolean {
  if (expression.type !== 'CallExpression') return false;
  const { callee, arguments: args } = expression;
  if (!isMember(callee, 'defineProperty') && !isMember(callee, 'defineProperties')) return false;
  const [target] = args;
  if (target === undefined) return false;
  const root = target.type === 'MemberExpression' && isPrototype(target) ? target.object : target;
  return isIntrinsic(root);
}

/** Rewrites `a.b = c` to `put(a, "b", c)`; the texts of `a` and `c` do not move. */
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

/** The function `put` on one line. It defines an own property if a read-only one is inherited. */
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
