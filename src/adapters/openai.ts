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

/** A call in a chat completion. */
export interface OpenAiToolCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

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

export interface OpenAiFunctionOutput {
  readonly type: 'function_call_output';
  readonly call_id: string;
  readonly output: string;
}

/** The catalog's tools for `tools` of a chat completion, with their schemas unchanged. */
export function toChatTools(tools: readonly CatalogTool[]): OpenAiChatTool[] {
  return tools.map((tool) => ({ type: 'function', function: definitionOf(tool) }));
}

/** The catalog's tools for `tools` of a response. */
export function toResponsesTools(tools: readonly CatalogTool[]): OpenAiResponsesTool[] {
  return tools.map((tool) => ({ type: 'function', ...definitionOf(tool) }));
}

/** Runs a call of a chat completion. A mistake of the model or a failure of the tool is in the result. */
export async function runToolCall(
  engine: Pick<Engine, 'call'>,
  { id, function: { name, arguments: text } }: OpenAiToolCall,
  options: CallOptions = {},
): Promise<OpenAiToolMessage> {
  return { role: 'tool', tool_call_id: id, content: await run(engine, name, text, options) };
}

/** Runs a call of a response. A mistake of the model or a failure of the tool is in the result. */
export async function runFunctionCall(
  engine: Pick<Engine, 'call'>,
  { call_id, name, arguments: text }: OpenAiFunctionCall,
  options: CallOptions = {},
): Promise<OpenAiFunctionOutput> {
  const output = await run(engine, name, text, options);
  return { type: 'function_call_output', call_id, output };
}

/** A result as text. The protocol has no flag for errors, so the text starts with `Error: `. */
export function toText({ isError, content, files = [] }: ModelResult): string {
  const texts = content.map((block) => (block.type === 'text' ? block.text : labelOf(block)));
  return `${isError ? 'Error: ' : ''}${[...texts, ...files].join('\n')}`;
}

function definitionOf(tool: CatalogTool): OpenAiChatTool['function'] {
  const { name, description, inputSchema } = tool;
  return { name, description, parameters: { type: 'object', ...inputSchema }, strict: false };
}

async function run(
  engine: Pick<Engine, 'call'>,
  name: string,
  text: string,
  options: CallOptions,
): Promise<string> {
  let input: unknown;
  try {
    input = text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    return toText(errorResult(`the arguments of ${name} are not JSON.`));
  }
  return toText(await callForModel(engine, name, input, options));
}
