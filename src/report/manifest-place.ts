/** A place in a text, counted from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/**
 * The place in a manifest that a finding is about: the scope as a JSON string, else the key of the
 * permission, else the first line. `subject`: a permission (`network api.example.com`, `time true`),
 * or a word that the manifest may contain.
 */
export function locateInManifest(manifest: string, subject: string): TextPlace {
  const [kind = '', ...rest] = subject.split(' ');
  const scope = rest.join(' ');
  const keys = [scope, kind, 'permissions'].filter((key) => key !== '' && key !== 'true');
  for (const key of keys) {
    const at = manifest.indexOf(JSON.stringify(key));
    if (at >= 0) return placeAt(manifest, at);
  }
  return { line: 1, column: 1 };
}

function placeAt(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
