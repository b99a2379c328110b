import { isRecord } from '../../sandbox/wire/json.js';
import type { Json, JsonObject } from '../../sandbox/wire/messages.js';
import type { PluginConfig } from '../engine/types/options.js';
import type { CliCapabilities } from './capabilities.js';
import { reasonOf, usageError } from './failure.js';

/** Largest standard input. The engine's own limit on inputs is lower. */
const MAX_STDIN_BYTES = 64 * 1024 * 1024;

/** Reads the value of `--input` or `--context`: JSON, `@file`, or `-` for standard input. */
export async function readJson(
  text: string,
  option: string,
  capabilities: Pick<CliCapabilities, 'readFile' | 'stdin'>,
): Promise<Json> {
  if (text === '-')
    return parseJson(await readAll(capabilities.stdin, option), option, 'standard input');
  if (!text.startsWith('@')) return parseJson(text, option, 'its value');
  return readJsonFile(text.slice(1), option, capabilities);
}

export async function readJsonFile(
  path: string,
  option: string,
  { readFile }: Pick<CliCapabilities, 'readFile'>,
): Promise<Json> {
  const content = await readFile(path).catch((error: unknown) => {
    throw usageError(option, `${option} cannot read ${path}: ${reasonOf(error)}`);
  });
  return parseJson(content, option, path);
}

export async function readJsonObject(
  text: string,
  option: string,
  capabilities: Pick<CliCapabilities, 'readFile' | 'stdin'>,
): Promise<JsonObject> {
  const value = await readJson(text, option, capabilities);
  if (!isRecord(value)) throw usageError(option, `${option} takes a JSON object`);
  return value;
}

/** Reads the value of `--config`: two fields of the engine, and the fields of the plugin. */
export async function readConfig(
  text: string,
  capabilities: Pick<CliCapabilities, 'readFile' | 'stdin'>,
): Promise<PluginConfig> {
  const { enabled, requireApproval, ...fields } = await readJsonObject(
    text,
    '--config',
    capabilities,
  );
  if (enabled !== undefined && typeof enabled !== 'boolean') {
    throw usageError('--config', '"enabled" in --config must be true or false');
  }
  if (requireApproval !== undefined && !isFlags(requireApproval)) {
    throw usageError(
      '--config',
      '"requireApproval" in --config must have true or false for each tool',
    );
  }
  return {
    ...fields,
    ...(enabled === undefined ? {} : { enabled }),
    ...(requireApproval === undefined ? {} : { requireApproval }),
  };
}

function isFlags(value: Json): value is Readonly<Record<string, boolean>> {
  return isRecord(value) && Object.values(value).every((flag) => typeof flag === 'boolean');
}

function parseJson(text: string, option: string, where: string): Json {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw usageError(
      option,
      `${option} takes JSON, but ${where} is not JSON: ${reasonOf(error)}. Names and texts have double quotes: ${option} '{"name":"value"}'`,
    );
  }
}

export async function readAll(stdin: AsyncIterable<Uint8Array>, option: string): Promise<string> {
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

/** `--env NAME=VALUE`, repeatable. */
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

/** `--host-override HOST=URL`, repeatable. */
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
    throw usageError(
      '--timeout',
      `--timeout takes a whole number of milliseconds from 1, not ${text}`,
    );
  }
  return value;
}

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Parses `90m`, `24h` or `7d` as a time before now, or an ISO date. Returns ms since 1970. */
export function parseMoment(text: string, option: string, nowMs: number): number {
  const { count, unit } = /^(?<count>\d+)(?<unit>[smhdw])$/.exec(text)?.groups ?? {};
  if (count !== undefined && unit !== undefined) {
    return nowMs - Number(count) * (UNITS_MS[unit] ?? NaN);
  }
  const date = Date.parse(text);
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(date)) {
    throw usageError(option, `${option} takes 90m, 24h, 7d or a date like 2026-01-31, not ${text}`);
  }
  return date;
}
