import type { AnyNode, Identifier } from 'acorn';
import { join, resolve } from 'node:path/posix';

/** A text that is known without running the code: all of it, or its beginning. */
export interface StaticText {
  readonly text: string;
  /** Whether `text` is the complete text. */
  readonly whole: boolean;
}

/** Evaluates an expression to a text; `undefined` if not even its beginning is known. */
export type StaticTexts = (node: AnyNode | null | undefined) => StaticText | undefined;

/** Levels of constants and nested expressions that are followed. */
const MAX_STEPS = 20;

/** Expressions that one text is evaluated from. Constants of constants could be followed without end. */
const MAX_EXPRESSIONS = 1_000;

export function makeStaticTexts(
  constant: (use: Identifier) => AnyNode | undefined,
  moduleOf: (use: Identifier) => string | undefined,
): StaticTexts {
  let left = MAX_EXPRESSIONS;
  const evaluate = (node: AnyNode | null | undefined, steps: number): StaticText | undefined => {
    left -= 1;
    // guard: static-text-capped
    if (!node || steps > MAX_STEPS || left < 0) return undefined;
    switch (node.type) {
      case 'Literal':
        return typeof node.value === 'string' ? { text: node.value, whole: true } : undefined;
      case 'TemplateLiteral':
        return joined(
          node.quasis.flatMap((quasi, index) => [
            { text: quasi.value.cooked ?? '', whole: true },
            ...(index < node.expressions.length
              ? [evaluate(node.expressions[index], steps + 1)]
              : []),
          ]),
        );
      case 'BinaryExpression':
        return node.operator === '+'
          ? joined([evaluate(node.left, steps + 1), evaluate(node.right, steps + 1)])
          : undefined;
      case 'Identifier':
        return evaluate(constant(node), steps + 1);
      case 'MemberExpression':
        return evaluate(memberOf(node, steps), steps + 1);
      case 'NewExpression':
        return node.callee.type === 'Identifier' && node.callee.name === 'URL'
          ? urlOf(node.arguments.map((argument) => evaluate(argument, steps + 1)))
          : undefined;
      case 'CallExpression':
        return resultOf(node, steps);
      case 'LogicalExpression':
        return node.operator === '&&' ? undefined : evaluate(node.right, steps + 1);
      default:
        return undefined;
    }
  };

  /** A member of an object literal: `import.meta.url` is one in a bundle. */
  const memberOf = (
    { object, property, computed }: Extract<AnyNode, { type: 'MemberExpression' }>,
    steps: number,
  ): AnyNode | undefined => {
    if (computed || property.type !== 'Identifier' || object.type !== 'Identifier')
      return undefined;
    const literal = constant(object);
    if (literal?.type !== 'ObjectExpression' || steps > MAX_STEPS) return undefined;
    for (const member of literal.properties) {
      if (member.type !== 'Property' || member.key.type !== 'Identifier') continue;
      if (member.key.name === property.name) return member.value;
    }
    return undefined;
  };

  const resultOf = (
    { callee, arguments: args }: Extract<AnyNode, { type: 'CallExpression' }>,
    steps: number,
  ): StaticText | undefined => {
    // guard: address-of-function-found
    if (callee.type === 'Identifier') {
      const made = constant(callee);
      return made && evaluate(returnedBy(made), steps + 1);
    }
    const name = moduleFunction(callee, moduleOf);
    const parts = args.map((argument) => evaluate(argument, steps + 1));
    if (name === 'url.fileURLToPath') {
      const [url] = parts;
      return url && { ...url, text: url.text.replace(/^file:\/\//, '') };
    }
    if (name === 'path.dirname') {
      const [path] = parts;
      return path?.whole === true
        ? { ...path, text: path.text.replace(/\/[^/]*$/, '') }
        : undefined;
    }
    if (name !== 'path.join' && name !== 'path.resolve') return undefined;
    const unknown = parts.findIndex((part) => part?.whole !== true);
    const texts = (unknown < 0 ? parts : parts.slice(0, unknown)).map((part) => part?.text ?? '');
    if (texts.length === 0) return undefined;
    const text = name === 'path.join' ? join(...texts) : resolve('/plugin', ...texts);
    return unknown < 0 ? { text, whole: true } : { text: `${text}/`, whole: false };
  };

  return (node) => {
    left = MAX_EXPRESSIONS;
    return evaluate(node, 0);
  };
}

/** What a function returns in the one way that it has. */
function returnedBy(node: AnyNode): AnyNode | null | undefined {
  if (node.type === 'ArrowFunctionExpression' && node.body.type !== 'BlockStatement') {
    return node.body;
  }
  const isFunction =
    node.type === 'ArrowFunctionExpression' ||
    node.type === 'FunctionExpression' ||
    node.type === 'FunctionDeclaration';
  if (!isFunction || node.async || node.generator) return undefined;
  if (node.body.type !== 'BlockStatement') return undefined;
  const last = node.body.body.at(-1);
  return last?.type === 'ReturnStatement' ? last.argument : undefined;
}

/** `path.join` of `import_node_path.default.join`, `(0, import_path.join)`, `path.join`. */
function moduleFunction(
  callee: AnyNode,
  moduleOf: (use: Identifier) => string | undefined,
): string | undefined {
  const target = callee.type === 'SequenceExpression' ? callee.expressions.at(-1) : callee;
  if (target?.type !== 'MemberExpression' || target.property.type !== 'Identifier')
    return undefined;
  const { object } = target;
  const holder =
    object.type === 'MemberExpression' && object.object.type === 'Identifier'
      ? object.object
      : object;
  const module = holder.type === 'Identifier' ? moduleOf(holder) : undefined;
  return module && `${module.replace('path/posix', 'path')}.${target.property.name}`;
}

function joined(parts: readonly (StaticText | undefined)[]): StaticText | undefined {
  let text = '';
  for (const part of parts) {
    if (part === undefined) return text === '' ? undefined : { text, whole: false };
    text += part.text;
    if (!part.whole) return { text, whole: false };
  }
  return { text, whole: true };
}

function urlOf([path, base]: readonly (StaticText | undefined)[]): StaticText | undefined {
  if (path === undefined) return base && originOf(base);
  if (base === undefined) return path;
  if (!path.whole || !base.whole) return URL.canParse(path.text) ? path : originOf(base);
  return URL.canParse(path.text, base.text)
    ? { text: new URL(path.text, base.text).href, whole: true }
    : undefined;
}

function originOf({ text }: StaticText): StaticText | undefined {
  return URL.canParse(text) ? { text: `${new URL(text).origin}/`, whole: false } : undefined;
}
