import type { Json } from '../../sandbox/wire/messages.js';

/** The reason why a request is refused. Its message is sent to the caller. */
export class HttpRefusal extends Error {
  override readonly name = 'HttpRefusal';
  readonly status: number;
  readonly data: Readonly<Record<string, Json>> | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    more: {
      readonly data?: Readonly<Record<string, Json>>;
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(message);
    this.status = status;
    this.data = more.data;
    this.headers = more.headers ?? {};
  }
}

/** An answer before it is written: its body becomes JSON. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The headers of every answer. */
export const JSON_HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const;

/** A JSON answer, with the headers of every answer. */
export function jsonResponse(
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(body), { status, headers: { ...JSON_HEADERS, ...headers } });
}

/** Any other error is internal, and the caller does not learn what it was. */
export function refusalOf(error: unknown): HttpRefusal {
  return error instanceof HttpRefusal ? error : new HttpRefusal(500, 'Internal error');
}
