import type { Json } from '../../sandbox/wire/messages.js';

/** Why a request is not served, as its sender is told it. Never leaves this folder but as an answer. */
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

/** A body of JSON with what every answer carries. */
export function jsonResponse(
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  });
}

/** What is no refusal is a fault of ours: nobody outside is told what it was. */
export function refusalOf(error: unknown): HttpRefusal {
  return error instanceof HttpRefusal ? error : new HttpRefusal(500, 'Internal error');
}
