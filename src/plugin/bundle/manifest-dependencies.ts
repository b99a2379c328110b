import { isRecord } from '../../../sandbox/wire/json.js';

/** The packages that the text of a package.json names as its dependencies. None if it cannot be read. */
export function dependenciesIn(manifest: string): ReadonlySet<string> {
  const fields = parse(manifest);
  if (!isRecord(fields)) return new Set();
  const lists = ['dependencies', 'optionalDependencies', 'peerDependencies'];
  return new Set(
    lists.flatMap((name) => {
      const list = fields[name];
      return isRecord(list) ? Object.keys(list) : [];
    }),
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
