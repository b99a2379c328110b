import { Ajv2020 } from 'ajv/dist/2020.js';

/**
 * A client of custom tool servers, made from Vertesia's documentation alone: it knows nothing of
 * what is behind the URL, and takes no answer that is not of the documented shape.
 */
export interface ToolClient {
  discover(): Promise<GetToolsResponse>;
  /** Sends a body as it is, with a token where one is given. */
  send(body: string, token?: string): Promise<Answered>;
  execute(id: string, name: string, input: unknown, token: string): Promise<Answered>;
}

export interface GetToolsResponse {
  readonly src: string;
  readonly title: string;
  readonly description: string;
  readonly tools: readonly { name: string; description: string; input_schema: object }[];
}

export type Answered =
  | { readonly ok: true; readonly body: Success }
  | { readonly ok: false; readonly body: Failure };

interface Success {
  readonly tool_use_id: string;
  readonly content: string;
}

interface Failure {
  readonly tool_use_id: string;
  readonly status: number;
  readonly error: string;
}

const text = { type: 'string' };
const record = { type: 'object' };
const ajv = new Ajv2020({ strict: false });
const isListing = ajv.compile<GetToolsResponse>({
  type: 'object',
  required: ['src', 'title', 'description', 'tools'],
  properties: {
    src: { type: 'string', pattern: '^https?://' },
    title: text,
    description: text,
    tools: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'description', 'input_schema'],
        properties: { name: text, description: text, input_schema: record },
      },
    },
  },
});
const isResponse = ajv.compile<Success>({
  type: 'object',
  required: ['tool_use_id', 'content'],
  properties: {
    tool_use_id: text,
    content: text,
    files: { type: 'array', items: { type: 'string', pattern: '^https?://' } },
    metadata: record,
  },
});
const isError = ajv.compile<Failure>({
  type: 'object',
  required: ['tool_use_id', 'status', 'error'],
  properties: { tool_use_id: text, status: { type: 'integer' }, error: text, data: record },
});

export function makeClient(url: string): ToolClient {
  const send: ToolClient['send'] = async (body, token) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
      body,
    });
    const answer = await jsonOf(response);
    if (response.ok) {
      if (!isResponse(answer))
        throw new Error(`no ToolExecutionResponse: ${JSON.stringify(answer)}`);
      return { ok: true, body: answer };
    }
    if (!isError(answer) || answer.status !== response.status) {
      throw new Error(`no ToolExecutionResponseError: ${JSON.stringify(answer)}`);
    }
    return { ok: false, body: answer };
  };
  return {
    send,
    discover: async () => {
      const answer = await jsonOf(await fetch(url));
      if (!isListing(answer)) throw new Error(`no GetToolsResponse: ${JSON.stringify(answer)}`);
      if (answer.src !== url) throw new Error(`src is ${answer.src}`);
      for (const { input_schema: schema } of answer.tools) ajv.compile(schema);
      return answer;
    },
    execute: (id, tool_name, tool_input, token) =>
      send(
        JSON.stringify({ tool_use: { id, tool_name, tool_input }, metadata: { run_id: 'r' } }),
        token,
      ),
  };
}

async function jsonOf(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type');
  if (type !== 'application/json') throw new Error(`the Content-Type is ${type}`);
  return response.json();
}
