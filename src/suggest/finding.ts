import type { AnyNode, CallExpression, NewExpression } from 'acorn';

/** A request for permissions, as manifests write it. */
export interface SuggestedPermissions {
  readonly time?: true;
  readonly random?: true;
  readonly storage?: true;
  readonly network?: readonly string[];
  readonly env?: readonly string[];
  readonly fs?: readonly string[];
  readonly powers?: readonly string[];
}

/** A kind of permission in a request. */
export type SuggestedKind = keyof SuggestedPermissions;

/** A permission that one use of a name needs. */
export interface Finding {
  readonly permission: SuggestedKind | 'none';
  /** Absent if the code does not show it. */
  readonly scope?: string;
  readonly why: string;
  /** A file of the storage directory. If the plugin ships it, the fs permission applies instead. */
  readonly file?: string;
  /** A relative path that the code writes, or the directory of it. What is read from there is in the storage. */
  readonly writes?: string;
  readonly node: AnyNode;
  /** The name does not exist in a plugin. Dependencies often test for such names. */
  readonly absent?: true;
  /** A variable that a function reads by name. Packages go on without most of them. */
  readonly optional?: true;
}

/** A member expression that starts at a name. */
export interface Member {
  /** The keys after the name: `promises`, `readFile` of `fs.promises.readFile`. */
  readonly path: readonly string[];
  /** The whole expression: `fs.promises.readFile`. */
  readonly node: AnyNode;
  /** The call, if the member is called. */
  readonly call: CallExpression | NewExpression | undefined;
}
