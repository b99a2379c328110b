import { runInThisContext } from 'node:vm';
import { rewriteBundle, type Rewritten } from '../../../../src/plugin/bundle/rewrite/rewrite.js';

/** The patterns that SES's evaluator refuses (from its source), and those of Bulkhead's compartment. */
const REFUSED = [
  /(?:<!--|-->)/,
  /(^|[^.]|\.\.\.)\bimport(\s*(?:\(|\/[/*]))/,
  /(^|[^.])\beval(\s*\()/,
  /(^|[^.]|\.\.\.)\bimport\s*\.\s*([\w$\\{}]+\s*)?(\(|\/[/*])/,
];

export function refusedBySes(code: string): boolean {
  return REFUSED.some((pattern) => pattern.test(code));
}

/** Rewrites a module whose namespace is in the variable `exported`. */
export function rewrite(body: string): Rewritten {
  return rewriteBundle(`${body}\nexport {\n  exported as namespace\n};\n`);
}

/** The value of an expression, or of a script's last statement, in the global scope. */
export function evaluateText(text: string): unknown {
  return runInThisContext(text);
}

/** Rewrites and evaluates a module, and returns its variable `exported`. */
export function evaluate(body: string): unknown {
  const { code } = rewrite(body);
  if (refusedBySes(code)) throw new Error(`SES refuses ${code}`);
  const make = evaluateText(code);
  if (typeof make !== 'function') throw new Error('not a function');
  return make({
    modules: {},
    importRefused: (specifier: unknown) =>
      Promise.reject(new Error(`refused ${String(specifier)}`)),
  });
}
