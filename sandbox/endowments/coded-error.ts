/** Gives an error the `code` that survives the wire and that plugin code can match on. */
export function withCode<Fault extends Error>(
  error: Fault,
  code: string,
): Fault & { code: string } {
  return Object.assign(error, { code });
}
