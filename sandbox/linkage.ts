import { CodedError } from './wire/failure.js';

/**
 * What a bundle is called with: the modules that its guest provides, and what stands in for an
 * import whose target nobody knew when it was bundled.
 */
export function makeLinkage(): unknown {
  return harden({ modules: {}, importRefused });
}

function importRefused(specifier: unknown): Promise<never> {
  return Promise.reject(
    new CodedError(
      'BUILTIN_DENIED',
      `import(${textOf(specifier)}) names its module while the plugin runs, and only what was bundled before can be imported. Import it by a literal path.`,
    ),
  );
}

function textOf(specifier: unknown): string {
  return typeof specifier === 'string' ? JSON.stringify(specifier) : 'of something';
}
