import type { Json, JsonObject, PluginConfig } from '../index.js';
import { usageError } from './failure.js';
import type { CliPowers } from './powers.js';

/** Largest standard input that is read as one value. The engine's own cap on inputs is lower. */
const MAX_STDIN_BYTES = 64 * 1024 * 1024;

/** Reads what `--input` and `--context` take: JSON, `@file`, or `-` for standard input. */
export async function readJson(
  text: string,
  option: string,
  powers: Pick<CliPowers, 'readFile' | 'stdin'>,
): Promise<unknown> {
  if (text === '-') return parseJson(await readAll(powers.stdin, option), option, 'standard input');
  if (!text.startsWith('@')) return parseJson(text, option, 'its value');
  const path = text.slice(1);
  let content: string;
  try {
    content = await powers.readFile(path);
  } catch (error) {
    throw usageError(option, `${option} cannot read ${path}: ${reason(error)}`);
  }
  return parseJson(content, option, path);
}

export async function readJsonObject(
  text: string,
  option: string,
  powers: Pick<CliPowers, 'readFile' | 'stdin'>,
): Promise<JsonObject> {
  const value = await readJson(text, option, powers);
  if (!isJsonObject(value)) throw usageError(option, `${option} takes a JSON object`);
  return value;
}

/** Reads what `--config` takes: two words of the engine's, and whatever the plugin's fields name. */
export async function readConfig(
  text: string,
  powers: Pick<CliPowers, 'readFile' | 'stdin'>,
): Promise<PluginConfig> {
  const { enabled, requireApproval, ...fields } = await readJsonObject(text, '--config', powers);
  if (enabled !== undefined && typeof enabled !== 'boolean') {
    throw usageError('--config', '"enabled" in --config has to be true or false');
  }
  if (requireApproval !== undefined && !isFlags(requireApproval)) {
    throw usageError('--config', '"requireApproval" in --config takes true or false for each tool');
  }
  return {
    ...fields,
    ...(enabled === undefined ? {} : { enabled }),
    ...(requireApproval === undefined ? {} : { requireApproval }),
  };
}

function isFlags(value: Json): value is Readonly<Record<string, boolean>> {
  return isJsonObject(value) && Object.values(value).every((flag) => typeof flag === 'boolean');
}

/** Whether a value that JSON.parse made is an object: then it is one of JSON's. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string, option: string, where: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw usageError(option, `${option} takes JSON; ${where} is not: ${reason(error)}`);
  }
}

async function readAll(stdin: AsyncIterable<Uint8Array>, option: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of stdin) {
    bytes += chunk.byteLength;
    if (bytes > MAX_STDIN_BYTES) {
      throw usageError(option, `standard input is larger than ${MAX_STDIN_BYTES} bytes`);
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** `--env K=V`, which may be given several times. */
export function collectVariable(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw usageError('--env', `--env takes NAME=VALUE, not ${JSON.stringify(text)}`);
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

export interface HostOverride {
  readonly host: string;
  readonly url: string;
}

/** `--host-override HOST=URL`, which may be given several times. */
export function collectOverride(
  text: string,
  before: readonly HostOverride[] = [],
): HostOverride[] {
  const at = text.indexOf('=');
  const url = text.slice(at + 1);
  if (at < 1 || !/^https?:$/.test(protocolOf(url))) {
    throw usageError(
      '--host-override',
      `--host-override takes HOST=URL (http or https), not ${JSON.stringify(text)}`,
    );
  }
  return [...before, { host: text.slice(0, at), url }];
}

function protocolOf(url: string): string {
  return URL.canParse(url) ? new URL(url).protocol : '';
}

export function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

export function parseMilliseconds(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > 2 ** 31 - 1) {
    throw usageError('--timeout', `--timeout takes whole milliseconds from 1, not ${text}`);
  }
  return value;
}
