import type { AnyNode, Expression, Pattern, SpreadElement } from 'acorn';
import { patternTargets, type Bindings } from './scopes.js';
import { enterAll, type Walk } from './walk.js';

export interface GlobalWrites {
  /** Names that are written as properties of the global object. */
  readonly asProperties: ReadonlySet<string>;
  /** Names that are assigned to although nothing declares them. */
  readonly undeclared: ReadonlySet<string>;
}

/**
 * Finds what a program writes to the global object. It errs towards too many: a name that is in
 * vain left writable costs a little speed, one that is missed makes the plugin throw.
 */
export function findGlobalWrites(walk: Walk, { free }: Bindings): GlobalWrites {
  const globals = findAliases(walk);
  const freeNodes = new Set<AnyNode>(free.map(({ node }) => node));
  const asProperties = new Set<string>();
  const undeclared = new Set<string>();

  const target = (node: AnyNode): void => {
    if (node.type === 'Identifier' && freeNodes.has(node)) undeclared.add(node.name);
    if (node.type !== 'MemberExpression' || node.object.type === 'Super') return;
    const name = staticName(node.property, node.computed);
    if (name !== undefined && isGlobal(node.object, globals)) asProperties.add(name);
  };
  const targets = (pattern: Pattern): void => patternTargets(pattern).forEach(target);

  enterAll(walk, (node) => {
    if (node.type === 'AssignmentExpression') targets(node.left);
    else if (node.type === 'UpdateExpression') target(node.argument);
    else if (node.type === 'UnaryExpression' && node.operator === 'delete') target(node.argument);
    else if (node.type === 'ForInStatement' || node.type === 'ForOfStatement') {
      if (node.left.type !== 'VariableDeclaration') targets(node.left);
    } else if (node.type === 'CallExpression') {
      for (const name of namesDefinedBy(node.arguments, globals)) asProperties.add(name);
    }
  });
  return { asProperties, undeclared };
}

/** `Object.defineProperty(globalThis, 'x', …)`, `Object.assign(globalThis, { x })` and their like. */
function namesDefinedBy(
  [first, second]: readonly (Expression | SpreadElement)[],
  globals: ReadonlySet<string>,
): string[] {
  if (first === undefined || second === undefined || !isGlobal(first, globals)) return [];
  if (second.type === 'Literal' && typeof second.value === 'string') return [second.value];
  if (second.type !== 'ObjectExpression') return [];
  return second.properties.flatMap((property) => {
    if (property.type !== 'Property') return [];
    const name = staticName(property.key, property.computed);
    return name === undefined ? [] : [name];
  });
}

/** The names of variables and parameters that may hold the global object. */
function findAliases(walk: Walk): Set<string> {
  const aliases = new Set(['globalThis']);
  for (let known = 0; known < aliases.size;) {
    known = aliases.size;
    enterAll(walk, (node) => {
      if (node.type === 'VariableDeclarator') {
        if (node.id.type === 'Identifier' && node.init && isGlobal(node.init, aliases)) {
          aliases.add(node.id.name);
        }
      } else if (node.type === 'AssignmentExpression') {
        if (node.left.type === 'Identifier' && isGlobal(node.right, aliases)) {
          aliases.add(node.left.name);
        }
      } else if (node.type === 'CallExpression') {
        const { callee } = node;
        if (callee.type !== 'FunctionExpression' && callee.type !== 'ArrowFunctionExpression') {
          return;
        }
        node.arguments.forEach((argument, index) => {
          const parameter = callee.params[index];
          if (parameter?.type === 'Identifier' && isGlobal(argument, aliases)) {
            aliases.add(parameter.name);
          }
        });
      }
    });
  }
  return aliases;
}

/** Whether an expression may give the global object, by its shape. */
function isGlobal(node: AnyNode, aliases: ReadonlySet<string>): boolean {
  switch (node.type) {
    case 'Identifier':
      return aliases.has(node.name);
    case 'ConditionalExpression':
      return isGlobal(node.consequent, aliases) || isGlobal(node.alternate, aliases);
    case 'LogicalExpression':
      return isGlobal(node.left, aliases) || isGlobal(node.right, aliases);
    case 'AssignmentExpression':
      return isGlobal(node.right, aliases);
    case 'SequenceExpression': {
      const last = node.expressions.at(-1);
      return last !== undefined && isGlobal(last, aliases);
    }
    default:
      return false;
  }
}

function staticName(key: AnyNode, computed: boolean): string | undefined {
  if (key.type === 'Identifier' && !computed) return key.name;
  return key.type === 'Literal' && typeof key.value === 'string' ? key.value : undefined;
}
