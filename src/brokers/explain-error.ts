/** An error in full, with what caused it, for the host's log. */
export function explainError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : '';
  const cause = error.cause === undefined ? '' : ` (${explainError(error.cause)})`;
  return `${code}${error.message}${cause}`;
}
