/** The file that a manifest names and a plugin lacks, by the message of the build. */
export function missingFileIn(message: string): string | undefined {
  return /\bThe plugin has no file "([^"\n]{1,300})"/.exec(message)?.[1];
}
