/** A path as storage takes it: text. What it may be is for the host to say. */
export function pathOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TypeError('A path in storage is a string');
}

/** Rejects with the words that extensions know: what is not there is "File not found". */
export function toStorageError(error: unknown): never {
  const message = error instanceof Error ? error.message : 'The storage failed';
  if (isMissing(message)) throw new Error('File not found');
  throw error instanceof Error ? error : new Error(message);
}

/** What a list of what is not there holds. */
export function nothingThere(error: unknown): [] {
  if (error instanceof Error && isMissing(error.message)) return [];
  throw toStorageError(error);
}

function isMissing(message: string): boolean {
  return /^(?:ENOENT|ENOTDIR):/.test(message);
}
