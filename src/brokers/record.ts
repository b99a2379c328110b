/** The plugin's call that used a broker, if the host can determine it. */
export interface Attribution {
  /** The only call that was open in the guest. */
  readonly call?: string;
  /** The calls that were open in the guest, if there were several. One of them used the broker. */
  readonly among?: readonly string[];
}

/** The attribution among other fields, without the fields that are undefined. */
export function attributed({
  call,
  among,
}: {
  readonly call: string | undefined;
  readonly among: readonly string[] | undefined;
}): Attribution {
  return { ...(call === undefined ? {} : { call }), ...(among === undefined ? {} : { among }) };
}

/** How one use of a broker ended. */
export interface RecordEnd {
  /** `failed`: it was allowed, and then failed or was cancelled. */
  readonly outcome: 'allowed' | 'denied' | 'failed';
  readonly durationMs: number;
  /** Why it was denied or failed, in full. For the host only. */
  readonly reason?: string;
}

/** One exchange with one host. Each redirect has a record of its own. */
export interface NetworkRecord extends Attribution, RecordEnd {
  readonly type: 'network';
  /** The plugin's id. */
  readonly plugin: string;
  /** Origin and path. A query becomes `?…`, because it often contains secrets. */
  readonly url: string;
  readonly method: string;
  readonly status?: number;
  /** Bytes of the response's body as received, before decompression. */
  readonly bytesIn: number;
  /** Bytes of the request's body. */
  readonly bytesOut: number;
  /** The address of the connection. Only for the host: plugins do not see it. */
  readonly address?: string;
}

/** One read, stat, list or change of files. */
export interface FilesystemRecord extends Attribution, RecordEnd {
  readonly type: 'filesystem';
  /** The plugin's id. */
  readonly plugin: string;
  /** The path that the plugin wrote, as a JSON string, cut to 200 characters. */
  readonly path: string;
  /** The kind of change; absent for a read. */
  readonly op?: string;
  readonly bytes: number;
  /** The file that was read. Only for the host: plugins do not see it. */
  readonly realPath?: string;
}

/** One operation in a plugin's storage. */
export interface StorageRecord extends Attribution, RecordEnd {
  /** The plugin's id. */
  readonly plugin: string;
  /** The operation, its area unless that is `data`, and the path that the plugin wrote. */
  readonly what: string;
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

/** One use of a power. */
export interface PowerRecord extends Attribution, RecordEnd {
  /** The name that the plugin wrote, cut to 200 characters. */
  readonly power: string;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/** A record of an operation that has not ended. */
export interface OpenRecord<Kind extends RecordEnd> {
  /** The fields that are known so far. */
  readonly fields: OpenFields<Kind>;
  /** Emits the record. Only the first call counts. */
  close(outcome: RecordEnd['outcome'], error?: unknown): void;
}

export type OpenFields<Kind> = {
  -readonly [Field in keyof Omit<Kind, keyof RecordEnd>]: Omit<Kind, keyof RecordEnd>[Field];
};

export function openRecord<Fields extends object>(
  fields: Fields,
  emit: (record: Fields & RecordEnd) => void = () => {},
): { readonly fields: Fields; close: OpenRecord<RecordEnd>['close'] } {
  const startedAt = performance.now();
  let closed = false;
  return {
    fields,
    close: (outcome, error) => {
      if (closed) return;
      closed = true;
      const reason = error === undefined ? {} : { reason: explainError(error) };
      emit({ ...fields, outcome, durationMs: performance.now() - startedAt, ...reason });
    },
  };
}

/** An error and its causes in full, for the host's log. */
function explainError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : '';
  const cause = error.cause === undefined ? '' : ` (${explainError(error.cause)})`;
  return `${code}${error.message}${cause}`;
}
