import { withCode } from './endowments/coded-error.js';

/**
 * What a bundle is called with: the modules that its guest provides, and what stands in for an
 * import whose target nobody knew when it was bundled.
 */
export function makeLinkage(_params: unknown, modules: Readonly<Record<string, unknown>>): unknown {
  return harden({ modules, importRefused });
}

function importRefused(specifier: unknown): Promise<never> {
  // A plain Error: the plugin gets hold of it, and a class of ours would lead to what is not its.
  const error = new Error(
    `import(${textOf(specifier)}) names its module while the plugin runs, and only what was bundled before can be imported. Import it by a literal path.`,
  );
  return Promise.reject(withCode(error, 'BUILTIN_DENIED'));
}

function textOf(specifier: unknown): string {
  return typeof specifier === 'string' ? JSON.stringify(specifier) : 'of something';
}
