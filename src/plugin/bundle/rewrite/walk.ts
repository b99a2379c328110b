import type { AnyNode } from 'acorn';

/** A step of a walk through a program, in source order. */
export interface Step {
  readonly node: AnyNode;
  readonly parent: AnyNode | undefined;
  /** Whether the node's children are done. */
  readonly leaving: boolean;
}

/** Every step of the walk through a tree, laid out once for all who take it. */
export type Walk = readonly Step[];

/** Lays out the walk without recursion: a plugin decides how deep its tree is. */
export function layOutWalk(root: AnyNode): Walk {
  const walk: Step[] = [];
  const ahead: Step[] = [{ node: root, parent: undefined, leaving: false }];
  for (let step = ahead.pop(); step !== undefined; step = ahead.pop()) {
    walk.push(step);
    if (step.leaving) continue;
    const { node, parent } = step;
    const children = childrenOf(node);
    if (children.length === 0) {
      walk.push({ node, parent, leaving: true });
      continue;
    }
    ahead.push({ node, parent, leaving: true });
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index];
      if (child !== undefined) ahead.push({ node: child, parent: node, leaving: false });
    }
  }
  return walk;
}

/** Takes the walk, stopping at each node before its children. */
export function enterAll(
  walk: Walk,
  enter: (node: AnyNode, parent: AnyNode | undefined) => void,
): void {
  for (const { node, parent, leaving } of walk) if (!leaving) enter(node, parent);
}

function childrenOf(node: AnyNode): AnyNode[] {
  const children: AnyNode[] = [];
  // `{ a }` has one node, twice: as the key and as the value.
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
