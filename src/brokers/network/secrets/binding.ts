import { BulkheadError, isBulkheadError } from '../../../errors.js';
import { network } from '../../../permissions/network.js';
import { makeNetworkTable } from '../../../permissions/network-table.js';
import type { Secret, SecretPlace } from './secret.js';

/** Where an operator lets a secret's value go. */
export interface SecretBinding {
  /**
   * Written as network permissions are, and https unless they say `http://`: `api.example.com`,
   * `*.example.com`, `api.example.com:8443`. The plugin needs the network permission besides.
   */
  readonly hosts: readonly string[];
  /** `header:authorization` and `query:key` are safer than `header` and `query`; see `body` last. */
  readonly in: readonly SecretPlace[];
}

/** Reads where a secret goes. Throws `INVALID_OPTIONS`; `option` says where the binding stands. */
export function parseBinding(
  binding: SecretBinding,
  option: string,
): Pick<Secret, 'boundTo' | 'places'> {
  if (!isTexts(binding?.hosts) || !isTexts(binding.in)) {
    throw invalid(option, 'takes { hosts: ["api.example.com"], in: ["header:authorization"] }');
  }
  const places = binding.in.map((place) => parsePlace(place, `${option}.in`));
  const scopes = binding.hosts.map((host) => parseHost(host, `${option}.hosts`));
  const table = makeNetworkTable(scopes);
  return { places, boundTo: (url, method) => table(url, method) !== undefined };
}

/**
 * Checks that a value can be put into requests and found again in answers. What is shorter than 8
 * characters stands in many an answer by chance, and could be guessed by watching for it to go.
 */
export function checkValue(value: string, option: string): void {
  if (value.length < MIN_LENGTH || value.length > MAX_LENGTH) {
    throw invalid(
      option,
      `binds a variable whose value has ${value.length} characters: a secret has ${MIN_LENGTH} to ${MAX_LENGTH}`,
    );
  }
  if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value)) {
    throw invalid(
      option,
      'binds a variable whose value is not all of visible ASCII characters, as a header takes them',
    );
  }
}

const MIN_LENGTH = 8;
const MAX_LENGTH = 4096;

function isTexts(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')
  );
}

function parsePlace(text: string, option: string): SecretPlace {
  if (text === 'header' || text === 'query' || text === 'body') return text;
  const [, kind, name = ''] = /^(header|query):(.+)$/s.exec(text) ?? [];
  if (kind === 'header') return `header:${name.toLowerCase()}`;
  if (kind === 'query') return `query:${name}`;
  throw invalid(
    option,
    `takes "header", "header:<name>", "query", "query:<name>" or "body", not ${JSON.stringify(text)}`,
  );
}

function parseHost(text: string, option: string): string {
  try {
    const scope = network.parse(text);
    // Without a word about it, a secret does not go where everybody on the way can read it.
    return network.format({ ...scope, scheme: scope.scheme ?? 'https' });
  } catch (error) {
    if (!isBulkheadError(error, 'INVALID_PERMISSION')) throw error;
    throw invalid(option, `cannot be read: ${error.message}`);
  }
}

function invalid(option: string, what: string): BulkheadError<'INVALID_OPTIONS'> {
  return new BulkheadError('INVALID_OPTIONS', `The option ${option} ${what}.`, { option });
}
