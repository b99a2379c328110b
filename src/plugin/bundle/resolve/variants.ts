/**
 * Whether, of the two files that a package offers for browsers and for Node, the one for Node is
 * the one that runs here, where there is neither. As a rule the browser's is, since it needs no
 * built-ins; but some build a page to work on, and their other half is plain JavaScript.
 */
export function runsBetterAsNode(forBrowsers: string, forNode: string): boolean {
  return NEEDS_PAGE.test(forBrowsers) && !NEEDS_PAGE.test(forNode) && !NEEDS_HOST.test(forNode);
}

const NEEDS_PAGE =
  /\bdocument\s*\.\s*(?:implementation|createElement|getElementById|querySelector)\b|\bnew\s+DOMParser\b/;

const NEEDS_HOST =
  /["'](?:node:)?(?:child_process|dgram|dns|fs|fs\/promises|http|http2|https|net|tls|vm|worker_threads|zlib)["']/;
