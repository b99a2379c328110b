/**
 * Names of files and directories that other programs execute or trust when a person opens a folder.
 * Writing them in a mount needs a grant of its own that names them. Each is a sequence of segments.
 */
const PROTECTED: readonly (readonly string[])[] = [
  ['.git'],
  ['.hg'],
  ['.svn'],
  ['.vscode'],
  ['.idea'],
  ['.mcp.json'],
  ['.envrc'],
  ['.npmrc'],
  ['.claude'],
  ['.cursor'],
  ['.github', 'workflows'],
  ['node_modules', '.bin'],
  ['bulkhead.lock.json'],
  ['bulkhead.config.json'],
  ['bulkhead.rules.json'],
];

/** The first protected name in these segments; `undefined` if there is none. */
export function protectedName(segments: readonly string[]): string | undefined {
  const folded = segments.map(foldName);
  for (const name of PROTECTED) {
    const at = folded.findIndex((_, start) =>
      name.every((part, offset) => folded[start + offset] === part),
    );
    if (at !== -1) return segments.slice(at, at + name.length).join('/');
  }
  return undefined;
}

/**
 * Whether a directory of this name could contain protected names that its content does not show: a
 * renamed directory with `workflows` becomes `.github/workflows`.
 */
export function startsProtectedName(name: string): boolean {
  return PROTECTED.some((parts) => parts.length > 1 && parts[0] === foldName(name));
}

/**
 * The form in which filesystems compare names. Some ignore case, Unicode composition, characters
 * without width, and dots or blanks at the end (HFS+, APFS, NTFS). NTFS also has streams (`name:x`).
 */
function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Mn}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/:.*$/, '')
    .toLowerCase()
    .replace(/[. ]+$/, '')
    .replace(/^git~\d$/, '.git');
}
