import type { AnyNode, Expression } from 'acorn';
import { join, resolve } from 'node:path/posix';

/** A text that can be told without running the code: whole, or as far as it begins. */
export interface StaticText {
  readonly text: string;
  /** Whether that is all of it. */
  readonly whole: boolean;
}

/** Tells texts from the code that makes them; `undefined` where not even their beginning is known. */
export type StaticTexts = (node: AnyNode | null | undefined) => StaticText | undefined;

/** How far it goes back along constants. */
const MAX_STEPS = 20;

export function makeStaticTexts(
  constant: (name: string) => Expression | undefined,
  modules: ReadonlyMap<string, string>,
): StaticTexts {
  const tell = (node: AnyNode | null | undefined, steps: number): StaticText | undefined => {
    if (!node || steps > MAX_STEPS) return undefined;
    switch (node.type) {
      case 'Literal':
        return typeof node.value === 'string' ? { text: node.value, whole: true } : undefined;
      case 'TemplateLiteral':
        return joined(
          node.quasis.flatMap((quasi, index) => [
            { text: quasi.value.cooked ?? '', whole: true },
            ...(index < node.expressions.length ? [tell(node.expressions[index], steps + 1)] : []),
          ]),
        );
      case 'BinaryExpression':
        return node.operator === '+'
          ? joined([tell(node.left, steps + 1), tell(node.right, steps + 1)])
          : undefined;
      case 'Identifier':
        return tell(constant(node.name), steps + 1);
      case 'MemberExpression':
        return tell(memberOf(node, steps), steps + 1);
      case 'NewExpression':
        return node.callee.type === 'Identifier' && node.callee.name === 'URL'
          ? urlOf(node.arguments.map((argument) => tell(argument, steps + 1)))
          : undefined;
      case 'CallExpression':
        return called(node, steps);
      case 'LogicalExpression':
        return node.operator === '&&' ? undefined : tell(node.right, steps + 1);
      default:
        return undefined;
    }
  };

  /** A member of an object that is written out: `import.meta.url` is one in a bundle. */
  const memberOf = (
    { object, property, computed }: Extract<AnyNode, { type: 'MemberExpression' }>,
    steps: number,
  ): AnyNode | undefined => {
    if (computed || property.type !== 'Identifier' || object.type !== 'Identifier')
      return undefined;
    const made = constant(object.name);
    if (made?.type !== 'ObjectExpression' || steps > MAX_STEPS) return undefined;
    for (const member of made.properties) {
      if (member.type !== 'Property' || member.key.type !== 'Identifier') continue;
      if (member.key.name === property.name) return member.value;
    }
    return undefined;
  };

  const called = (
    { callee, arguments: given }: Extract<AnyNode, { type: 'CallExpression' }>,
    steps: number,
  ): StaticText | undefined => {
    const name = moduleFunction(callee, modules);
    const parts = given.map((argument) => tell(argument, steps + 1));
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
    const known = parts.findIndex((part) => part?.whole !== true);
    const texts = (known < 0 ? parts : parts.slice(0, known)).map((part) => part?.text ?? '');
    if (texts.length === 0) return undefined;
    const text = name === 'path.join' ? join(...texts) : resolve('/plugin', ...texts);
    return known < 0 ? { text, whole: true } : { text: `${text}/`, whole: false };
  };

  return (node) => tell(node, 0);
}

/** `path.join` of `import_node_path.default.join`, `(0, import_path.join)`, `path.join`. */
function moduleFunction(callee: AnyNode, modules: ReadonlyMap<string, string>): string | undefined {
  const target = callee.type === 'SequenceExpression' ? callee.expressions.at(-1) : callee;
  if (target?.type !== 'MemberExpression' || target.property.type !== 'Identifier')
    return undefined;
  const { object } = target;
  const holder =
    object.type === 'MemberExpression' && object.object.type === 'Identifier'
      ? object.object
      : object;
  const module = holder.type === 'Identifier' ? modules.get(holder.name) : undefined;
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
