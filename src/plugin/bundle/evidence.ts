/**
 * What a bundle was made from, in enough detail to say later whether it would come out the same:
 * every file's content and the answer to every question that was asked of the directory.
 */
export interface Evidence {
  readonly files: Readonly<Record<string, FileEvidence>>;
  /** For each path that was looked up, what is there. */
  readonly lookups: Readonly<Record<string, string>>;
}

export interface FileEvidence {
  readonly bytes: number;
  /** sha512 over its content. */
  readonly hash: string;
}

/** What may be found at a path: as text, so that evidence is plain data. */
export type Found = 'file' | 'directory' | 'absent' | 'other' | `link:${string}`;
