/** The argument of a bundle. A bundle that runs without it has no standard streams. */
declare const $bulkhead: { readonly modules: Readonly<Record<string, unknown>> } | undefined;

/** The standard streams of a plugin that is a program: of an MCP server. */
export interface LinkedStdio {
  readonly listen: (listener: (text: string) => void) => void;
  readonly write: (stream: 'stdout' | 'stderr', text: string) => void;
}

/** A plugin that is a program. A package of it that runs separately gets no arguments, unless it is the program. */
export interface LinkedProgram {
  readonly argv: readonly string[];
  readonly exit: (code: number) => void;
}

/** The standard streams of the plugin from its guest, or `undefined` for a plugin without. */
export function linkedStdio(): LinkedStdio | undefined {
  if (typeof $bulkhead === 'undefined') return undefined;
  const stdio: unknown = $bulkhead.modules['bulkhead:stdio'];
  return isStdio(stdio) ? stdio : undefined;
}

/** The program that the plugin is, or `undefined` for a plugin that is none. */
export function linkedProgram(): LinkedProgram | undefined {
  if (typeof $bulkhead === 'undefined') return undefined;
  const program: unknown = $bulkhead.modules['bulkhead:program'];
  return isProgram(program) ? program : undefined;
}

function isProgram(program: unknown): program is LinkedProgram {
  return typeof program === 'object' && program !== null && 'argv' in program;
}

function isStdio(stdio: unknown): stdio is LinkedStdio {
  return typeof stdio === 'object' && stdio !== null && 'listen' in stdio;
}
