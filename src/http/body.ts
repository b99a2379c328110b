import { weigh } from '../../sandbox/wire/parse.js';
import { FROM_GUEST } from '../../sandbox/wire/limits.js';
import type { ServerLimits } from './limits.js';
import { HttpRefusal } from './refusal.js';

/** Reads a request's body. Throws 413 for a body that is too long, and 408 for one that is too slow. */
export async function readBody(
  request: Request,
  { maxBodyBytes, bodyMs }: Pick<ServerLimits, 'maxBodyBytes' | 'bodyMs'>,
): Promise<string> {
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > maxBodyBytes) throw tooLong(maxBodyBytes);
  if (request.body === null) return '';
  const reader = request.body.getReader();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    void reader.cancel().catch(() => {});
  }, bodyMs);
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (late) throw tooSlow(bodyMs);
      if (done) return text + decoder.decode();
      bytes += value.byteLength;
      if (bytes > maxBodyBytes) {
        void reader.cancel().catch(() => {});
        throw tooLong(maxBodyBytes);
      }
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    clearTimeout(timer);
  }
}

/** The rest of the body is not read, so the connection cannot serve another request. */
const LAST = { headers: { connection: 'close' } };

/** A body that takes too long. */
export function tooSlow(bodyMs: number): HttpRefusal {
  return new HttpRefusal(408, `The body did not arrive within ${bodyMs} ms`, LAST);
}

/** A body that is too long. */
export function tooLong(maxBodyBytes: number): HttpRefusal {
  return new HttpRefusal(413, `The body is longer than ${maxBodyBytes} bytes`, LAST);
}

/** Parses a body as JSON within the limits. Throws 400. */
export function parseBody(
  text: string,
  { maxBodyDepth, maxBodyNodes }: Pick<ServerLimits, 'maxBodyDepth' | 'maxBodyNodes'>,
): unknown {
  try {
    weigh(text, { ...FROM_GUEST, maxDepth: maxBodyDepth, maxNodes: maxBodyNodes });
  } catch {
    throw new HttpRefusal(
      400,
      `The body is nested deeper than ${maxBodyDepth} levels, or has more than ${maxBodyNodes} values`,
    );
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpRefusal(400, 'The body is not JSON');
  }
}
