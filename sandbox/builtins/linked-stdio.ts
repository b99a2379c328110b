/** The argument of a bundle. A bundle that runs without it has no standard streams. */
declare const $bulkhead: { readonly modules: Readonly<Record<string, unknown>> } | undefined;

/** The standard streams of a plugin that is a program: of an MCP server. */
export interface LinkedStdio {
  readonly argv: readonly string[];
  readonly listen: (listener: (text: string) => void) => void;
  readonly write: (stream: 'stdout' | 'stderr', text: string) => void;
  readonly exit: (code: number) => void;
}

/** The standard streams of the plugin from its guest, or `undefined` for a plugin without. */
export function linkedStdio(): LinkedStdio | undefined {
  if (typeof $bulkhead === 'undefined') return undefined;
  const stdio: unknown = $bulkhead.modules['bulkhead:stdio'];
  return isStdio(stdio) ? stdio : undefined;
}

function isStdio(stdio: unknown): stdio is LinkedStdio {
  return typeof stdio === 'object' && stdio !== null && 'listen' in stdio;
}
