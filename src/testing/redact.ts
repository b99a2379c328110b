/** Takes secrets out of texts. */
export type Redact = (text: string) => string;

/** Shortest value that is replaced everywhere. A shorter one would be found in unrelated texts. */
const MIN_CHARACTERS = 4;

const SECRET_NAME =
  /^(?:.*[_-])?(?:key|apikey|appid|token|secret|password|passwd|auth|authorization|signature|sig|credential|session)s?$/i;

/**
 * Replaces the values of the variables by their names, and the values of parameters and JSON members whose
 * names say that they are secret.
 */
export function makeRedact(variables: Readonly<Record<string, string>>): Redact {
  const values = Object.entries(variables)
    .filter(([, value]) => value.length >= MIN_CHARACTERS)
    .flatMap(([name, value]) => [
      [value, `<${name}>`] as const,
      [encodeURIComponent(value), `<${name}>`] as const,
    ])
    // A longer value may contain a shorter one.
    .toSorted(([a], [b]) => b.length - a.length);
  return (text) => {
    let redacted = text;
    for (const [value, name] of values) redacted = redacted.replaceAll(value, name);
    return redacted
      .replaceAll(/([?&])([^=&#\s"]+)=([^&#\s"]+)/g, (whole, mark: string, name: string) =>
        isSecret(name) ? `${mark}${name}=<redacted>` : whole,
      )
      .replaceAll(/"([^"\\]+)"(\s*:\s*)"(?:[^"\\]|\\.)*"/g, (whole, name: string, colon: string) =>
        isSecret(name) ? `"${name}"${colon}"<redacted>"` : whole,
      );
  };
}

function isSecret(name: string): boolean {
  return SECRET_NAME.test(name.replaceAll(/([a-z])([A-Z])/g, '$1_$2'));
}
