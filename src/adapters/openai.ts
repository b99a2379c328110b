import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { CatalogTool } from '../catalog/catalog.js';
import type { Engine } from '../engine/engine-api.js';
import type { CallOptions } from '../engine/types/options.js';
import { callForModel, errorResult, labelOf, type ModelResult } from './models.js';

/** A tool in the form of OpenAI's chat completions. */
export interface OpenAiChatTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonObject;
    readonly strict: false;
  };
}

/** A tool in the form of OpenAI's responses. */
export interface OpenAiResponsesTool {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly strict: false;
}

/** A call in a chat completion. Only `function` calls name a tool of the catalog. */
export type OpenAiToolCall =
  | {
      readonly type?: 'function';
      readonly id: string;
      readonly function: { readonly name: string; readonly arguments: string };
    }
  | {
      readonly type: 'custom';
      readonly id: string;
      readonly custom: { readonly name: string; readonly input: string };
    };

/** A call in a response. */
export interface OpenAiFunctionCall {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface OpenAiToolMessage {
  readonly role: 'tool';
  readonly tool_call_id: string;
  readonly content: string;
}

/** The images of tool messages. A tool message contains only text, so they follow as the user's. */
export interface OpenAiImageMessage {
  readonly role: 'user';
  readonly content: (
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  )[];
}

export interface OpenAiFunctionOutput {
  readonly type: 'function_call_output';
  readonly call_id: string;
  /** A list if the result has an image. */
  readonly output: string | OpenAiOutputItem[];
}

export type OpenAiOutputItem =
  | { readonly type: 'input_text'; readonly text: string }
  | { readonly type: 'input_image'; readonly image_url: string; readonly detail: 'auto' };

/** The catalog's tools for `tools` of a chat completion, with their schemas unchanged. */
export function toChatTools(tools: readonly CatalogTool[]): OpenAiChatTool[] {
  return tools.map((tool) => ({ type: 'function', function: definitionOf(tool) }));
}

/** The catalog's tools for `tools` of a response. */
export function toResponsesTools(tools: readonly CatalogTool[]): OpenAiResponsesTool[] {
  return tools.map((tool) => ({ type: 'function', ...definitionOf(tool) }));
}

/**
 * Runs a call of a chat completion. A mistake of the model or a failure of the tool is in the result. A
 * label stands for an image: `runToolCalls` also passes the images.
 */
export async function runToolCall(
  engine: Pick<Engine, 'call'>,
  call: OpenAiToolCall,
  options: CallOptions = {},
): Promise<OpenAiToolMessage> {
  return toolMessage(call, await runChatCall(engine, call, options));
}

/**
 * Runs the calls of one chat completion at once. Returns a tool message for each, and then one message
 * with their images, if there are any.
 */
export async function runToolCalls(
  engine: Pick<Engine, 'call'>,
  calls: readonly OpenAiToolCall[],
  options: CallOptions = {},
): Promise<(OpenAiToolMessage | OpenAiImageMessage)[]> {
  const results = await Promise.all(calls.map((call) => runChatCall(engine, call, options)));
  const messages = calls.flatMap((call, at) => {
    const result = results[at];
    return result === undefined ? [] : [toolMessage(call, result)];
  });
  const images = calls.flatMap((call, at) => {
    const urls = imagesOf(results[at]);
    return urls.length === 0
      ? []
      : [
          { type: 'text' as const, text: `The images of ${nameOf(call)} (${call.id}):` },
          ...urls.map((url) => ({ type: 'image_url' as const, image_url: { url } })),
        ];
  });
  return images.length === 0 ? messages : [...messages, { role: 'user', content: images }];
}

/** Runs a call of a response. A mistake of the model or a failure of the tool is in the result. */
export async function runFunctionCall(
  engine: Pick<Engine, 'call'>,
  { call_id, name, arguments: text }: OpenAiFunctionCall,
  options: CallOptions = {},
): Promise<OpenAiFunctionOutput> {
  const result = await run(engine, name, text, options);
  const images = imagesOf(result);
  const output: OpenAiFunctionOutput['output'] =
    images.length === 0
      ? toText(result)
      : [
          { type: 'input_text', text: toText(result) },
          ...images.map((url) => ({
            type: 'input_image' as const,
            image_url: url,
            detail: 'auto' as const,
          })),
        ];
  return { type: 'function_call_output', call_id, output };
}

/** A result as text. The protocol has no flag for errors, so the text starts with `Error: `. */
export function toText({ isError, content, files = [] }: ModelResult): string {
  const texts = content.map((block) => (block.type === 'text' ? block.text : labelOf(block)));
  return `${isError ? 'Error: ' : ''}${[...texts, ...files].join('\n')}`;
}

function definitionOf(tool: CatalogTool): OpenAiChatTool['function'] {
  const { name, description, inputSchema } = tool;
  return { name, description, parameters: copyOf(inputSchema), strict: false };
}

/** The catalog's schemas are frozen, and SDKs write into them. */
function copyOf(schema: JsonObject): JsonObject {
  const copy: JsonObject = JSON.parse(JSON.stringify(schema));
  return { type: 'object', ...copy };
}

function toolMessage({ id }: OpenAiToolCall, result: ModelResult): OpenAiToolMessage {
  return { role: 'tool', tool_call_id: id, content: toText(result) };
}

function nameOf(call: OpenAiToolCall): string {
  return call.type === 'custom' ? call.custom.name : call.function.name;
}

async function runChatCall(
  engine: Pick<Engine, 'call'>,
  call: OpenAiToolCall,
  options: CallOptions,
): Promise<ModelResult> {
  if (call.type !== 'custom') {
    return run(engine, call.function.name, call.function.arguments, options);
  }
  return errorResult(`${call.custom.name} takes JSON arguments. Call it as a function.`);
}

/** Data URLs of the images of a result. */
function imagesOf(result: ModelResult | undefined): string[] {
  return (result?.content ?? []).flatMap((block) =>
    block.type === 'image' ? [`data:${block.mimeType};base64,${block.data}`] : [],
  );
}

async function run(
  engine: Pick<Engine, 'call'>,
  name: string,
  text: string,
  options: CallOptions,
): Promise<ModelResult> {
  let input: unknown;
  try {
    input = text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    return errorResult(`the arguments of ${name} are not JSON.`);
  }
  return callForModel(engine, name, input, options);
}
