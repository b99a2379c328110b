import type { AnyNode } from 'acorn';

export interface Visitor {
  /** Called before a node's children. */
  readonly enter: (node: AnyNode, parent: AnyNode | undefined) => void;
  /** Called after them. */
  readonly leave?: (node: AnyNode) => void;
}

interface Step {
  readonly node: AnyNode;
  readonly parent: AnyNode | undefined;
  readonly leaving: boolean;
}

/** Visits every node of a tree in source order, without recursion: a plugin decides how deep it is. */
export function walk(root: AnyNode, visitor: Visitor): void {
  const steps: Step[] = [{ node: root, parent: undefined, leaving: false }];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    const { node, parent, leaving } = step;
    if (leaving) {
      visitor.leave?.(node);
      continue;
    }
    visitor.enter(node, parent);
    if (visitor.leave !== undefined) steps.push({ node, parent, leaving: true });
    const children = childrenOf(node);
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index];
      if (child !== undefined) steps.push({ node: child, parent: node, leaving: false });
    }
  }
}

export function childrenOf(node: AnyNode): AnyNode[] {
  const children: AnyNode[] = [];
  // `{ a }` has one node, twice: as the key and as the value.
  const shorthand = node.type === 'Property' && node.shorthand;
  for (const [key, value] of Object.entries(node)) {
    if (shorthand && key === 'key') continue;
    if (Array.isArray(value)) {
      for (const item of value as unknown[]) if (isNode(item)) children.push(item);
    } else if (isNode(value)) children.push(value);
  }
  return children;
}

function isNode(value: unknown): value is AnyNode {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    typeof value.type === 'string' &&
    'start' in value
  );
}
