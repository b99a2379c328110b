import { isReplaced } from '../builtins.js';

/** A call with one text, such as `require("path")` under any name. */
const CALL = /[\w$]\(\s*(["'])(?:node:)?([a-z][a-z0-9_]*(?:\/[a-z]+)?)\1\s*\)/g;

/** Modules that one file can name. There are fewer. */
const MAX_MODULES = 100;

/**
 * Declarations for a module that calls `createRequire`, on one line: they provide the built-in modules that
 * its calls name. Bundlers write such calls for what they leave out, under a name of their own.
 */
export function provideRequired(code: string): string {
  if (!code.includes('createRequire') || !/\bimport\b/.test(code)) return '';
  const names = new Set([...code.matchAll(CALL)].map(([, , name = '']) => name).filter(isReplaced));
  if (names.size === 0) return '';
  const modules = [...names].slice(0, MAX_MODULES);
  const imports = modules.map((name, index) => `import ${variable(index)} from "node:${name}"; `);
  const provided = modules.map(
    (name, index) => `${MODULE}.bulkheadProvide("${name}", ${variable(index)}); `,
  );
  return `import ${MODULE} from "node:module"; ${imports.join('')}${provided.join('')}`;
}

const MODULE = '__bulkhead_node_module';

function variable(index: number): string {
  return `__bulkhead_required_${index}`;
}
