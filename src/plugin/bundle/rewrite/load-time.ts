import type { AnyNode, Identifier } from 'acorn';
import type { Edit } from './edits.js';
import { findIntrinsics, isMember } from './intrinsics.js';
import type { Fresh, Rewriting } from './rewriting.js';
import type { Bindings } from './scopes.js';
import type { Sections } from './sections.js';
import { enterAll, type Walk } from './walk.js';

export interface LoadTime extends Rewriting {
  /** A statement for the end of the bundle: from then on nothing is made up. */
  readonly closing: string;
}

/**
 * Many packages draw a random number or look at the clock once when they load, for the seed of a
 * hash or a unique property name, and a plugin without those permissions could not even import
 * them. So in packages, while the bundle loads, `Math.random()`, `Date.now()` and `new Date()` that
 * are refused give made-up values instead: always the same ones, so they reveal nothing. In the
 * plugin's own code, and once it has loaded, they are refused as ever.
 */
export function forgiveLoadTime(
  walk: Walk,
  bindings: Bindings,
  sections: Sections,
  fresh: Fresh,
): LoadTime {
  const isIntrinsic = findIntrinsics(bindings);
  const isMath = findMath(walk, isIntrinsic);
  const edits: Edit[] = [];
  let name: string | undefined;
  enterAll(walk, (node) => {
    const method = forgivable(node, isIntrinsic, isMath);
    if (method === undefined || sections.at(node.start)?.isPackage !== true) return;
    name ??= fresh('load');
    edits.push({ start: node.start, end: node.end, text: `${name}.${method}()` });
  });
  return name === undefined
    ? { edits, prelude: [], closing: '' }
    : { edits, prelude: [loadObject(name)], closing: `${name}.done = true; ` };
}

function forgivable(
  node: AnyNode,
  isIntrinsic: (node: AnyNode) => boolean,
  isMath: (node: Identifier) => boolean,
): 'random' | 'now' | 'date' | undefined {
  if (node.type === 'NewExpression') {
    const isDate = node.callee.type === 'Identifier' && node.callee.name === 'Date';
    return isDate && isIntrinsic(node.callee) && node.arguments.length === 0 ? 'date' : undefined;
  }
  if (node.type !== 'CallExpression' || node.arguments.length > 0 || node.optional)
    return undefined;
  const { callee } = node;
  if (callee.type !== 'MemberExpression' || callee.object.type !== 'Identifier') return undefined;
  if (isMember(callee, 'random')) return isMath(callee.object) ? 'random' : undefined;
  const isDate = callee.object.name === 'Date' && isIntrinsic(callee.object);
  return isDate && isMember(callee, 'now') ? 'now' : undefined;
}

/** `Math` itself, or the parameter that it is to a function called at once: `(function (math) { … })(Math)`. */
function findMath(
  walk: Walk,
  isIntrinsic: (node: AnyNode) => boolean,
): (node: Identifier) => boolean {
  const parameters: { readonly name: string; readonly start: number; readonly end: number }[] = [];
  enterAll(walk, (node) => {
    if (node.type !== 'CallExpression' || node.callee.type !== 'FunctionExpression') return;
    const { params, start, end } = node.callee;
    node.arguments.forEach((argument, index) => {
      const parameter = params[index];
      if (argument.type !== 'Identifier' || argument.name !== 'Math' || !isIntrinsic(argument))
        return;
      if (parameter?.type === 'Identifier') parameters.push({ name: parameter.name, start, end });
    });
  });
  return (node) =>
    (node.name === 'Math' && isIntrinsic(node)) ||
    parameters.some(
      ({ name, start, end }) => name === node.name && node.start > start && node.end < end,
    );
}

function loadObject(name: string): string {
  return [
    `const ${name} = { done: false, seed: 1,`,
    'or(real, made) { if (this.done) return real(); try { return real(); } catch { return made(); } },',
    'random() { return this.or(() => globalThis.Math.random(), () =>',
    '(this.seed = (this.seed * 16807) % 2147483647) / 2147483647); },',
    'now() { return this.or(() => globalThis.Date.now(), () => 0); },',
    'date() { return this.or(() => new globalThis.Date(), () => new globalThis.Date(0)); } };',
  ].join(' ');
}
