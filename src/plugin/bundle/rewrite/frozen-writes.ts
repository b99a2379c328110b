import type { AnyNode, AssignmentExpression, CallExpression, MemberExpression } from 'acorn';
import type { Edit, Fresh, Rewriting } from './edits.js';
import { type Bindings, findIntrinsics, isMember, isPrototype } from './scopes.js';
import type { Sections } from './sections.js';
import { type Walk, enterAll } from './parse.js';

/**
 * Allows code to override properties inherited from frozen intrinsics. An assignment cannot shadow
 * a read-only inherited property, so `MyError.prototype.constructor = …` throws under SES. Sloppy
 * code also expects that an assignment to a frozen object (`Math.sign = Math.sign || …`) does
 * nothing, but strict code throws. In packages it does nothing: their polyfills are not needed, and the plugin's
 * author cannot change them. The plugin's own modules get the error.
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
  let thaw: string | undefined;
  enterAll(walk, (node) => {
    const quiet = (): boolean => {
      const section = sections.at(node.start);
      return section?.isCommonJs === true || section?.isPackage === true;
    };
    if (node.type === 'AssignmentExpression' && node.operator === '=') {
      if (!definesInherited(node, isIntrinsic)) return;
      put ??= fresh('put');
      edits.push(...callPut(node, text, put, quiet()));
    } else if (node.type === 'CallExpression') {
      const prototype = inheritedPrototype(node, isIntrinsic);
      if (prototype === undefined) return;
      thaw ??= fresh('thaw');
      edits.push({ start: prototype.start, end: prototype.start, text: `${thaw}(` });
      edits.push({ start: prototype.end, end: prototype.end, text: ')' });
    } else if (node.type === 'ExpressionStatement' && redefines(node.expression, isIntrinsic)) {
      if (!quiet()) return;
      edits.push({ start: node.start, end: node.start, text: 'try { ' });
      edits.push({ start: node.end, end: node.end, text: ' } catch {}' });
    }
  });
  return {
    edits,
    prelude: [
      ...(put === undefined ? [] : [putFunction(put)]),
      ...(thaw === undefined ? [] : [thawFunction(thaw)]),
    ],
  };
}

/** `Array.prototype` of `Object.create(Array.prototype)`, and the same for other classes with methods that code replaces. */
function inheritedPrototype(
  { callee, arguments: [prototype] }: CallExpression,
  isIntrinsic: (node: AnyNode) => boolean,
): AnyNode | undefined {
  if (!isMember(callee, 'create') || callee.type !== 'MemberExpression') return undefined;
  if (!isIntrinsic(callee.object) || !isNamed(callee.object, 'Object')) return undefined;
  if (prototype?.type !== 'MemberExpression' || !isPrototype(prototype)) return undefined;
  const { object } = prototype;
  return isIntrinsic(object) && object.type === 'Identifier' && THAWED.has(object.name)
    ? prototype
    : undefined;
}

/** Assignments to computed names, such as those of a mixin, are not found. Of other classes, code replaces named methods. */
const THAWED = new Set(['Array', 'Map', 'Set', 'Promise', 'RegExp', 'String']);

function isNamed(node: AnyNode, name: string): boolean {
  return node.type === 'Identifier' && node.name === name;
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
  const name = left.type === 'MemberExpression' ? nameOf(left) : undefined;
  if (left.type !== 'MemberExpression' || name === undefined) return false;
  const { object } = left;
  return (
    object.type !== 'Super' &&
    (isPrototype(object) ||
      INHERITED.has(name) ||
      (OF_ARRAYS.has(name) && isFunction(right)) ||
      isIntrinsic(object))
  );
}

/** `b` of `a.b`, `a['b']` and `a["b"]`. */
function nameOf({ property, computed }: MemberExpression): string | undefined {
  if (!computed) return property.type === 'Identifier' ? property.name : undefined;
  return property.type === 'Literal' && typeof property.value === 'string'
    ? property.value
    : undefined;
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
  const name = left.type === 'MemberExpression' ? nameOf(left) : undefined;
  if (left.type !== 'MemberExpression' || name === undefined) return [];
  const { property, computed } = left;
  const dot = text.lastIndexOf(computed ? '[' : '.', property.start);
  const equals = text.indexOf('=', left.end);
  if (text.slice(left.end, equals).trim() !== '') return [];
  return [
    { start: node.start, end: node.start, text: `${put}${quiet ? '.quietly' : ''}(` },
    { start: dot, end: equals + 1, text: `, ${JSON.stringify(name)},` },
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
    // SES gives some members of intrinsics a setter, which throws for the intrinsic itself.
    'if (found !== undefined && found.set !== undefined && (strict || !Object.isFrozen(target))) throw error;',
    'const inherits = found !== undefined && "value" in found && !Object.hasOwn(target, name);',
    'const own = { value, writable: true, enumerable: true, configurable: true };',
    'const made = inherits && Reflect.defineProperty(Object(target), name, own);',
    'if (!made && strict) throw error; return value; } });',
  ].join(' ');
}

/**
 * The function `thaw` on one line. It returns an object that inherits from a frozen prototype, and has its members with
 * setters, as SES gives them to some: what inherits from it can override them by an assignment. The object itself is
 * frozen, because all code that gets one such instance can reach it.
 */
function thawFunction(name: string): string {
  return [
    `const ${name} = (({ Map, Object, Reflect, TypeError } = globalThis, made = new Map()) => (frozen) => {`,
    'let thawed = made.get(frozen);',
    'if (thawed === undefined) { thawed = Object.create(frozen); made.set(frozen, thawed);',
    'for (const key of Reflect.ownKeys(frozen)) {',
    'const { value, enumerable, ...rest } = Reflect.getOwnPropertyDescriptor(frozen, key);',
    'if ("get" in rest) continue;',
    'Reflect.defineProperty(thawed, key, { enumerable, get: () => value, set(own) {',
    'const put = { value: own, writable: true, enumerable: true, configurable: true };',
    'if (this === thawed || !Reflect.defineProperty(this, key, put)) throw new TypeError("Cannot assign to a read-only property"); } }); }',
    'Object.freeze(thawed); }',
    'return thawed; })();',
  ].join(' ');
}
