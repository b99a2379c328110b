import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { runInThisContext } from 'node:vm';
import type * as Validator from '../../schema/validator/entry.js';

let own: typeof Validator | undefined;

/**
 * The compiler of schemas that guests are given, for the host itself: for schemas that the host wrote.
 * A stranger's never comes here, since a schema becomes code.
 */
export function ownCompiler(): typeof Validator.compile {
  const path = createRequire(import.meta.url).resolve('#validator');
  own ??= readOwn(path);
  return own.compile;
}

function readOwn(path: string): typeof Validator {
  // The text is this package's own, made at build time; it is one function.
  const make: () => typeof Validator = runInThisContext(readFileSync(path, 'utf8'));
  return make();
}
