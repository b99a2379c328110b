import { type AnyNode, type Comment, type Program, type Token, parse } from 'acorn';

interface ParsedSource {
  readonly program: Program;
  /** Computed when it is first read. */
  readonly walk: Walk;
  readonly comments: readonly Comment[];
  /** In source order. */
  readonly tokens: readonly Token[];
}

/** Parses a module, or else a script. Throws acorn's SyntaxError, with `pos`. */
export function parseSource(text: string, options: { readonly tokens: boolean }): ParsedSource {
  try {
    return parseAs('module', text, options.tokens);
  } catch (error) {
    try {
      return parseAs('script', text, options.tokens);
    } catch {
      throw error;
    }
  }
}

function parseAs(
  sourceType: 'module' | 'script',
  text: string,
  wantsTokens: boolean,
): ParsedSource {
  const comments: Comment[] = [];
  const tokens: Token[] = [];
  const program = parse(text, {
    ecmaVersion: 'latest',
    sourceType,
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: sourceType === 'module',
    allowImportExportEverywhere: false,
    allowHashBang: true,
    checkPrivateFields: false,
    onComment: comments,
    ...(wantsTokens ? { onToken: tokens } : {}),
  });
  let walk: Walk | undefined;
  return {
    program,
    get walk() {
      walk ??= walkTree(program);
      return walk;
    },
    comments,
    tokens,
  };
}

/** A step of a walk through a program, in source order. */
interface Step {
  readonly node: AnyNode;
  readonly parent: AnyNode | undefined;
  /** Whether the node's children are done. */
  readonly leaving: boolean;
}

/** All steps of a walk through a tree, computed once for all passes. */
export type Walk = readonly Step[];

/** Computes the walk without recursion: a plugin controls the depth of its tree. */
function walkTree(root: AnyNode): Walk {
  const walk: Step[] = [];
  const stack: Step[] = [{ node: root, parent: undefined, leaving: false }];
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    walk.push(step);
    if (step.leaving) continue;
    const { node, parent } = step;
    const children = childrenOf(node);
    if (children.length === 0) {
      walk.push({ node, parent, leaving: true });
      continue;
    }
    stack.push({ node, parent, leaving: true });
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index];
      if (child !== undefined) stack.push({ node: child, parent: node, leaving: false });
    }
  }
  return walk;
}

/** Calls `enter` for each node, before its children. */
export function enterAll(
  walk: Walk,
  enter: (node: AnyNode, parent: AnyNode | undefined) => void,
): void {
  for (const { node, parent, leaving } of walk) if (!leaving) enter(node, parent);
}

function childrenOf(node: AnyNode): AnyNode[] {
  const children: AnyNode[] = [];
  // `{ a }` has the same node as its key and its value.
  const shorthand = node.type === 'Property' && node.shorthand;
  for (const key in node) {
    if (shorthand && key === 'key') continue;
    const value: unknown = Reflect.get(node, key);
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value as unknown[]) if (isNode(item)) children.push(item);
    } else if (isNode(value)) children.push(value);
  }
  return children;
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
