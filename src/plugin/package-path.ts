/** The innermost npm package of a path: its directory, and its name there. */
const PACKAGE = /^((?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+))\//;

/** The directory of the npm package that a file of a plugin belongs to. Paths are relative to the plugin's directory. */
export function packageOf(file: string): string | undefined {
  return PACKAGE.exec(file)?.[1];
}

/** The name by which packages import that package. */
export function packageNameOf(file: string): string | undefined {
  return PACKAGE.exec(file)?.[2];
}
