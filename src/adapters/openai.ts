import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { CatalogTool } from '../catalog/catalog.js';
import type { Engine } from '../engine/engine-api.js';
import type { CallOptions } from '../engine/options/options.js';
import type { CallResult } from '../engine/call/result.js';
import { plainText } from './text.js';

/** A tool as OpenAI's chat completions take it. */
export interface OpenAiChatTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonObject;
    readonly strict: false;
  };
}

/** A tool as OpenAI's responses take it. */
export interface OpenAiResponsesTool {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly strict: false;
}

/** A call as a chat completion holds it. */
export interface OpenAiToolCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A call as a response holds it. */
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

/** The catalog's tools for `tools` of a chat completion. Schemas are as their authors wrote them. */
export function toChatTools(tools: readonly CatalogTool[]): OpenAiChatTool[] {
  return tools.map((tool) => ({ type: 'function', function: definitionOf(tool) }));
}

/** The catalog's tools for `tools` of a response. */
export function toResponsesTools(tools: readonly CatalogTool[]): OpenAiResponsesTool[] {
  return tools.map((tool) => ({ type: 'function', ...definitionOf(tool) }));
}

/** Runs a call of a chat completion. Never throws for what the model or the tool did wrong. */
export async function runToolCall(
  engine: Pick<Engine, 'call'>,
  call: OpenAiToolCall,
  options: CallOptions = {},
): Promise<OpenAiToolMessage> {
  const { name, arguments: text } = call.function;
  return { role: 'tool', tool_call_id: call.id, content: await run(engine, name, text, options) };
}

/** Runs a call of a response. Never throws for what the model or the tool did wrong. */
export async function runFunctionCall(
  engine: Pick<Engine, 'call'>,
  call: OpenAiFunctionCall,
  options: CallOptions = {},
): Promise<OpenAiFunctionOutput> {
  const output = await run(engine, call.name, call.arguments, options);
  return { type: 'function_call_output', call_id: call.call_id, output };
}

/** A result as the text that the model gets. It has no flag for errors, so that the text says it. */
export function toText({ isError, content, files }: CallResult): string {
  const text = plainText(content, files);
  return isError ? `Error: ${text}` : text;
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
    return `Error: the arguments of ${name} are not JSON.`;
  }
  try {
    return toText(await engine.call(name, input, options));
  } catch (error) {
    return `Error: ${error instanceof Error ? error.message : String(error)}`;
  }
}
