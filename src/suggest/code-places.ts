import type { AnyNode, CallExpression, ObjectExpression } from 'acorn';
import { diskReader } from '../engine/node/disk-reader.js';
import { readPlugin } from '../formats/discover.js';
import { enterAll, parseSource } from '../plugin/bundle/rewrite/parse.js';
import { makeSourceFinder } from '../plugin/source-map.js';
import { bundlesToRead, placeText } from './bundled.js';
import { lineStarts, positionIn } from './positions.js';

/** Places in a plugin's own code, for errors that have no stack. Each is `src/index.ts:14:9`. */
export interface CodePlaces {
  /** Where the function of a tool is, by the tool's name. */
  readonly tools: ReadonlyMap<string, string>;
  /** Throws of values that are not errors, in source order. */
  readonly throws: readonly ThrownValue[];
}

export interface ThrownValue {
  readonly at: string;
  /** The texts of the value, in order; absent for a value that is not text. */
  readonly texts?: readonly string[];
}

/** Reads a plugin's code without running it. Throws the errors of reading and bundling a plugin. */
export async function findCodePlaces(directory: string): Promise<CodePlaces> {
  const { plugin } = await readPlugin(diskReader, directory);
  const tools = new Map<string, string>();
  const throws: ThrownValue[] = [];
  for (const bundle of bundlesToRead(plugin)) {
    const { code, sourceMap } = await bundle();
    const starts = lineStarts(code);
    const find = makeSourceFinder(sourceMap);
    const placeOf = (offset: number): string | undefined => {
      const { line, column } = positionIn(starts, offset);
      const place = placeText(find(line, column));
      return place?.includes('node_modules/') === true ? undefined : place;
    };
    enterAll(parseSource(code, { tokens: false }).walk, (node) => {
      const thrown = valueThrownBy(node);
      const at = thrown && placeOf(node.start);
      if (thrown !== undefined && at !== undefined) {
        throws.push({ at, ...(thrown.texts === undefined ? {} : { texts: thrown.texts }) });
      }
      const tool = toolOf(node);
      const place = tool && placeOf(tool.at.start);
      if (tool === undefined || place === undefined) return;
      // Vellum names a tool after its file.
      const name = tool.name ?? /([^/]+?)\.\w+:\d+:\d+$/.exec(place)?.[1];
      if (name !== undefined && !tools.has(name)) tools.set(name, place);
    });
  }
  return { tools, throws };
}

/** A tool in the code: `{ id: 'x', execute }`, or `registerTool('x', …, handler)`. */
function toolOf(node: AnyNode): { readonly name?: string; readonly at: AnyNode } | undefined {
  if (node.type === 'ObjectExpression') return describedTool(node);
  return node.type === 'CallExpression' ? registeredTool(node) : undefined;
}

function describedTool(
  object: ObjectExpression,
): { readonly name?: string; readonly at: AnyNode } | undefined {
  const members = new Map<string, AnyNode>();
  for (const property of object.properties) {
    if (property.type !== 'Property' || property.computed) continue;
    const { key } = property;
    if (key.type === 'Identifier') members.set(key.name, property);
    else if (key.type === 'Literal') members.set(String(key.value), property);
  }
  if (!['parameters', 'input_schema', 'inputSchema', 'execute'].some((key) => members.has(key))) {
    return undefined;
  }
  const at = members.get('execute') ?? object;
  const name = textOf(members.get('id')) ?? textOf(members.get('name'));
  return { at, ...(name === undefined ? {} : { name }) };
}

function registeredTool({
  callee,
  arguments: given,
}: CallExpression): { readonly name: string; readonly at: AnyNode } | undefined {
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return undefined;
  if (!/^(?:registerTool|tool|addTool)$/.test(callee.property.name)) return undefined;
  const [first, ...others] = given;
  const name = textOf(first);
  const last = others.at(-1);
  return name === undefined || last === undefined ? undefined : { name, at: last };
}

/** The text of a literal, or of the value of a property. */
function textOf(node: AnyNode | undefined): string | undefined {
  if (node?.type === 'Property') return textOf(node.value);
  return node?.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}

/** `throw 'text'`, `Promise.reject({ … })` or `reject()`: what is thrown, if it cannot be an error. */
function valueThrownBy(node: AnyNode): { readonly texts?: readonly string[] } | undefined {
  if (node.type === 'ThrowStatement') return plainValue(node.argument);
  if (node.type !== 'CallExpression') return undefined;
  const { callee, arguments: given } = node;
  const isReject =
    callee.type === 'Identifier'
      ? callee.name === 'reject'
      : callee.type === 'MemberExpression' &&
        callee.object.type === 'Identifier' &&
        callee.object.name === 'Promise' &&
        callee.property.type === 'Identifier' &&
        callee.property.name === 'reject';
  if (!isReject) return undefined;
  const [value] = given;
  return value === undefined ? {} : plainValue(value);
}

function plainValue(node: AnyNode): { readonly texts?: readonly string[] } | undefined {
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'string' ? { texts: [node.value] } : {};
    case 'TemplateLiteral':
      return { texts: node.quasis.map(({ value }) => value.cooked ?? '') };
    case 'BinaryExpression': {
      const texts = [textOf(node.left), textOf(node.right)].filter((text) => text !== undefined);
      return node.operator === '+' && texts.length > 0 ? { texts } : undefined;
    }
    case 'ObjectExpression':
    case 'ArrayExpression':
      return {};
    case 'UnaryExpression':
      return node.operator === 'void' ? {} : undefined;
    case 'Identifier':
      return node.name === 'undefined' ? {} : undefined;
    default:
      return undefined;
  }
}
