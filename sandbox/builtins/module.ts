import { denial, offer } from './denied.js';

/**
 * `createRequire` returns a function that throws: imports are resolved when the bundle is built.
 */
function createRequire(): (specifier: string) => never {
  const require = (specifier: string): never => {
    throw denial(
      'BUILTIN_DENIED',
      `require("${specifier}") by way of module.createRequire cannot be followed when a plugin is bundled. Use import or require("${specifier}") itself.`,
    );
  };
  return Object.assign(require, { resolve: require, cache: {} });
}

export const builtin: object = offer('module', {
  createRequire,
  builtinModules: [],
  isBuiltin: (): boolean => false,
});
