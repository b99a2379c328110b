import { isRecord } from '../../sandbox/wire/json.js';
import { keyShapesIn } from '../plugin/artifact/key-shapes.js';
import type { CassetteFile } from './cassette-file.js';
import type { LiveNetwork } from './live-network.js';
import type { Redact } from './redact.js';

/** The requests of a plugin and their answers, without secrets, as a file has them. */
interface CassetteContent {
  readonly format: 'bulkhead-cassette';
  readonly version: 1;
  readonly exchanges: readonly Exchange[];
}

interface Exchange {
  readonly request: RecordedRequest;
  readonly response: RecordedResponse;
}

interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  readonly body?: string;
}

interface RecordedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** In base64, if the body is not text. */
  readonly bytes?: string;
}

/** Answers requests from a file, or records them into it. */
export interface Cassette {
  /** `undefined`: the file has no such request. */
  answer(request: Request): Promise<Response | undefined>;
  /** Writes what was recorded. Rejects if an answer seems to have a secret, and then writes nothing. */
  close(): Promise<void>;
}

/** Headers of answers that are recorded. Others may have cookies and names of accounts. */
const KEPT_HEADERS = ['content-type', 'location', 'link', 'retry-after'];

/** Reads a cassette. Rejects if it does not exist or is not valid. */
export async function openCassette(
  { name, file }: { readonly name: string; readonly file: CassetteFile },
  redact: Redact,
): Promise<Cassette> {
  const text = await file.read();
  if (text === undefined) {
    throw new Error(`There is no cassette ${name}. Record it: bulkhead test --record`);
  }
  const { exchanges } = parseCassette(text, name);
  const used = new Set<Exchange>();
  return {
    answer: async (request) => {
      const key = keyOf(await describeRequest(request, redact));
      const fitting = exchanges.filter((one) => keyOf(one.request) === key);
      // In the order of the recording; the last answer repeats.
      const found = fitting.find((one) => !used.has(one)) ?? fitting.at(-1);
      if (found === undefined) return undefined;
      used.add(found);
      return respond(found.response);
    },
    close: async () => {},
  };
}

/** Records from the network. The file is written by `close`. */
export function recordCassette(
  { name, file }: { readonly name: string; readonly file: CassetteFile },
  network: LiveNetwork,
  redact: Redact,
): Cassette {
  const exchanges: Exchange[] = [];
  return {
    answer: async (request) => {
      const described = await describeRequest(request, redact);
      const response = await network.send(request);
      exchanges.push({
        request: described,
        response: await describeResponse(response.clone(), redact),
      });
      return response;
    },
    close: async () => {
      await network.close();
      const content: CassetteContent = { format: 'bulkhead-cassette', version: 1, exchanges };
      for (const { request, response } of exchanges) {
        const [found] = keyShapesIn(JSON.stringify([request, response]));
        // guard: cassette-without-keys
        if (found === undefined) continue;
        throw new Error(
          `The cassette ${name} was not written: ${request.method} ${request.url} or its answer seems to contain ${found}. Use the option fetch of loadPlugin for this request.`,
        );
      }
      await file.write(`${JSON.stringify(content, undefined, 2)}\n`);
    },
  };
}

async function describeRequest(request: Request, redact: Redact): Promise<RecordedRequest> {
  const { method, url } = request;
  const body = request.body === null ? undefined : await request.clone().text();
  return { method, url: redact(url), ...(body === undefined ? {} : { body: redact(body) }) };
}

async function describeResponse(response: Response, redact: Redact): Promise<RecordedResponse> {
  const { status } = response;
  const headers = KEPT_HEADERS.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, redact(value)] as const];
  });
  const content = Buffer.from(await response.arrayBuffer());
  const text = content.toString('utf8');
  const isText = Buffer.from(text).equals(content);
  return {
    status,
    headers: Object.fromEntries(headers),
    ...(isText ? { body: redact(text) } : { bytes: content.toString('base64') }),
  };
}

function keyOf({ method, url, body = '' }: RecordedRequest): string {
  return `${method} ${url}\n${body}`;
}

/** Statuses whose answers have no body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

function respond({ status, headers, body, bytes }: RecordedResponse): Response {
  const content = bytes === undefined ? (body ?? '') : Buffer.from(bytes, 'base64');
  return new Response(WITHOUT_BODY.has(status) ? null : content, { status, headers });
}

function parseCassette(text: string, name: string): CassetteContent {
  const invalid = (): Error =>
    new Error(`${name} is not a valid cassette. Record it again: bulkhead test --record`);
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw invalid();
  }
  if (!isCassette(content)) throw invalid();
  return content;
}

function isCassette(content: unknown): content is CassetteContent {
  return (
    isRecord(content) &&
    content['format'] === 'bulkhead-cassette' &&
    content['version'] === 1 &&
    Array.isArray(content['exchanges']) &&
    content['exchanges'].every(
      (one) =>
        isRecord(one) &&
        isRecord(one['request']) &&
        isRecord(one['response']) &&
        typeof one['response']['status'] === 'number',
    )
  );
}
