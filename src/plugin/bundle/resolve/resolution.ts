import { shellWord } from '../../../visible.js';

export type Resolution =
  | { readonly kind: 'file'; readonly path: string; readonly isPure: boolean }
  /** A package replaces the module by an empty one outside Node. */
  | { readonly kind: 'nothing' }
  /** A built-in of Node or Bun, without its scheme. */
  | { readonly kind: 'builtin'; readonly name: string }
  | { readonly kind: 'unresolved'; readonly why: string; readonly remedy: string };

/** What only other runtimes and bundlers import, with what to write instead. */
export function schemed(scheme: string, rest: string, specifier: string): Resolution {
  const unresolved = (why: string, remedy: string): Resolution => ({
    kind: 'unresolved',
    why,
    remedy,
  });
  const [, name = rest] = /^((?:@[^/]+\/)?[^/@]+)/.exec(rest.replace(/^\/+/, '')) ?? [];
  switch (scheme) {
    case 'node':
      return unresolved(`Node has no module ${rest}`, 'Check its name.');
    case 'npm':
      return unresolved(
        'only Deno imports packages so',
        `Run "npm install ${shellWord(name)}" in the plugin's directory, and import "${name}".`,
      );
    case 'jsr':
      return unresolved(
        'only Deno imports packages so',
        `Run "npx jsr add ${shellWord(name)}" in the plugin's directory, and import "${name}".`,
      );
    case 'http':
    case 'https':
      return unresolved(
        'a plugin loads no code from the network',
        'Install the package with npm and import it by its name, or save the file in the plugin and import it by its path.',
      );
    default:
      return unresolved(
        `only files and packages of the plugin are imported, and no ${scheme}: addresses`,
        specifier.startsWith('file:')
          ? 'Import the file by a relative path.'
          : 'Write the code into a file of the plugin, and import it by its path.',
      );
  }
}

export const NOT_FOUND: Resolution = {
  kind: 'unresolved',
  why: 'the plugin has no such file',
  remedy: 'Check the path, or add the file.',
};

/** The file would not help: npm builds it when a package is installed, and plugins load none. */
export const MACHINE_CODE: Resolution = {
  kind: 'unresolved',
  why: 'it is machine code, which plugins do not run',
  remedy: 'Use a package of JavaScript or WebAssembly instead.',
};
