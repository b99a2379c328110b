import { parse, type Comment, type Program, type Token } from 'acorn';
import { layOutWalk, type Walk } from './walk.js';

export interface ParsedSource {
  readonly program: Program;
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
  return { program, walk: layOutWalk(program), comments, tokens };
}
