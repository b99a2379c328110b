import type { Located, PluginFiles } from '../files.js';
import type { BundleSpec } from '../spec.js';

/** Chooses between what a package offers for browsers and what it offers for Node. */
export interface Variants {
  /** Whether what a package replaces outside of Node is left as it is, all through the package. */
  readonly isForNode: boolean;
  choose(forBrowsers: Located | undefined, forNode: Located | undefined): Located | undefined;
}

/**
 * In a compartment, where there is neither, the browser's file is as a rule the one that runs,
 * since it needs no built-ins. But some build a page to work on, and then the other one often is
 * plain JavaScript.
 */
export function makeVariants(
  files: PluginFiles,
  builtins: NonNullable<BundleSpec['builtins']>,
): Variants {
  return {
    isForNode: builtins === 'real',
    choose: (forBrowsers, forNode) => {
      if (forBrowsers === undefined || forNode === undefined) return forBrowsers ?? forNode;
      if (forBrowsers.path === forNode.path || builtins === 'real') return forNode;
      return runsBetterAsNode(files.read(forBrowsers.path), files.read(forNode.path))
        ? forNode
        : forBrowsers;
    },
  };
}

function runsBetterAsNode(forBrowsers: string, forNode: string): boolean {
  return NEEDS_PAGE.test(forBrowsers) && !NEEDS_PAGE.test(forNode) && !NEEDS_HOST.test(forNode);
}

const NEEDS_PAGE =
  /\bdocument\s*\.\s*(?:implementation|createElement|getElementById|querySelector)\b|\bnew\s+DOMParser\b/;

const NEEDS_HOST =
  /["'](?:node:)?(?:child_process|dgram|dns|fs|fs\/promises|http|http2|https|net|tls|vm|worker_threads|zlib)["']/;
