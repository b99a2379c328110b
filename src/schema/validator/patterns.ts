/**
 * Compiles the regular expressions of a schema. The standard has them read as Unicode; many authors
 * write what only the older syntax allows, like `[\w-.]`, and mean what it says there.
 */
export const makePattern: PatternMaker = Object.assign(
  (pattern: string, flags: string): RegExp => {
    try {
      return new RegExp(pattern, flags);
    } catch {
      return new RegExp(pattern);
    }
  },
  // Only code that is written to a file would use this name.
  { code: 'makePattern' },
);

type PatternMaker = ((pattern: string, flags: string) => RegExp) & { code: string };
