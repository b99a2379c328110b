/** Whether a path or URL lies in a folder, compared part by part. `..`, links by escapes and other origins do not. */
export function isUnder(text: string, folder: string): boolean {
  const at = partsOf(text);
  const base = partsOf(folder);
  // guard: under-compares-parsed
  if (at === undefined || base === undefined || at.root !== base.root) return false;
  return (
    base.parts.every((part, index) => at.parts[index] === part) &&
    at.parts.length > base.parts.length
  );
}

/** The folder of a path or URL that names a file in a folder; `undefined` for any other text. */
export function folderOf(text: string): string | undefined {
  const at = partsOf(text);
  if (at === undefined || at.parts.length < 2) return undefined;
  const parent = at.parts.slice(0, -1).join('/');
  return `${at.root}${parent}/`;
}

interface Parts {
  /** `https://host/`, `/`, or nothing for a relative path. */
  readonly root: string;
  readonly parts: readonly string[];
}

function partsOf(text: string): Parts | undefined {
  if (/^https?:/i.test(text)) return urlParts(text);
  // Another scheme, a drive, an escape, a backslash, a query or a blank could mean another place.
  if (/[\\%?#:*~\s\p{C}]/u.test(text) || text === '') return undefined;
  const root = text.startsWith('/') ? '/' : '';
  return safeParts(root, text.slice(root.length));
}

function urlParts(text: string): Parts | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, pathname, username, password, href } = new URL(text);
  // What the parser changed, or hides, may be read differently by a server.
  if (username !== '' || password !== '' || !href.startsWith(text.slice(0, origin.length)))
    return undefined;
  if (/[%\\]/.test(pathname) || text.includes('..')) return undefined;
  return safeParts(`${origin}/`, pathname.slice(1));
}

function safeParts(root: string, path: string): Parts | undefined {
  const parts = path.split('/');
  if (parts.at(-1) === '') parts.pop();
  return parts.some((part) => part === '' || part === '.' || part === '..')
    ? undefined
    : { root, parts };
}
