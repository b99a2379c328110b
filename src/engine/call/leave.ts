/**
 * Takes one out of a list of those that come and go with every call. Such lists are arrays: the tables
 * of a `Set` or `Map` that turns over so fast keep one another, and all that ever was in them when one
 * was outgrown, until the whole heap is collected.
 */
export function leave<One>(list: One[], one: One): void {
  const at = list.indexOf(one);
  if (at !== -1) list.splice(at, 1);
}
