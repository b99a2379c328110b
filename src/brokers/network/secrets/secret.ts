import type { Attribution } from '../../record.js';
import { BulkheadError, isBulkheadError } from '../../../errors.js';
import { makeNetworkTable, network } from '../../../permissions/network.js';

/**
 * A variable of which the plugin sees only a placeholder. The network broker inserts the value in
 * the positions that the operator's binding allows.
 */
export interface Secret {
  /** The variable's name. */
  readonly name: string;
  /** Letters, digits and hyphens: no encoding of a request changes them. */
  readonly placeholder: string;
  readonly value: string;
  /** Whether a request to that URL with that method may carry the value. */
  readonly boundTo: (url: URL, method: string) => boolean;
  readonly places: readonly SecretPlace[];
  /** Whether a request to a bound host is refused without it, and with another credential. */
  readonly only?: boolean;
}

/** Allowed positions of a value: any header or parameter, a named one, or the body. */
export type SecretPlace = 'header' | 'query' | 'body' | `header:${string}` | `query:${string}`;

/** The handling of a secret in one exchange. Only for the host: plugins do not see it. */
export interface SecretUse extends Attribution {
  readonly type: 'secret-inserted' | 'secret-withheld' | 'secret-scrubbed';
  /** The variable's name. */
  readonly secret: string;
  /** The position of the placeholder or the value. `host` and `path` never get a value. */
  readonly place: 'host' | 'path' | 'query' | 'header' | 'body';
  /** The host of the request. */
  readonly host: string;
}

/** The prefix of every placeholder, which people recognize. */
export const PLACEHOLDER_PREFIX = 'bulkhead-secret-';

/** The placeholder with a random hexadecimal text, which must not be guessable. */
export function placeholderOf(random: string): string {
  return `${PLACEHOLDER_PREFIX}${random}`;
}

/** The destinations and positions that an operator allows for a secret's value. */
export interface SecretBinding {
  /**
   * Written like network permissions: `api.example.com`, `*.example.com`, `api.example.com:8443`. HTTPS
   * unless they begin with `http://`. The plugin also needs the network permission.
   */
  readonly hosts: readonly string[];
  /** Prefer `header:authorization` and `query:key` to `header` and `query`, and avoid `body`. */
  readonly in: readonly SecretPlace[];
  /**
   * Refuses requests to these hosts that do not carry the secret, or that carry another credential in a header or
   * a parameter: then a plugin cannot send data to another account at an allowed host. Default: false.
   */
  readonly only?: boolean;
}

/** Parses a binding. Throws `INVALID_OPTIONS`. `option` names the binding. */
export function parseBinding(
  binding: SecretBinding,
  option: string,
): Pick<Secret, 'boundTo' | 'places' | 'only'> {
  if (!isTexts(binding?.hosts) || !isTexts(binding.in)) {
    throw invalid(option, 'takes { hosts: ["api.example.com"], in: ["header:authorization"] }');
  }
  const { only = false } = binding;
  if (typeof only !== 'boolean') throw invalid(`${option}.only`, 'takes true or false');
  const places = binding.in.map((place) => parsePlace(place, `${option}.in`));
  const scopes = binding.hosts.map((host) => parseHost(host, `${option}.hosts`));
  const table = makeNetworkTable(scopes);
  // The body is sent while it is read: whether it carries the secret is known too late.
  if (only && places.includes('body')) {
    throw invalid(option, 'has "only" and the place "body". Name a header or a parameter instead');
  }
  return { places, only, boundTo: (url, method) => table(url, method) !== undefined };
}

/**
 * Checks that a value can be inserted into requests and found in responses. A shorter value than 8
 * characters occurs by chance, and the scrubbing would help a plugin to guess it.
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
    // By default, a secret is sent only over HTTPS.
    // guard: secret-defaults-to-https
    return network.format({ ...scope, scheme: scope.scheme ?? 'https' });
  } catch (error) {
    if (!isBulkheadError(error, 'INVALID_PERMISSION')) throw error;
    throw invalid(option, `cannot be read: ${error.message}`);
  }
}

function invalid(option: string, what: string): BulkheadError<'INVALID_OPTIONS'> {
  return new BulkheadError('INVALID_OPTIONS', `The option ${option} ${what}.`, { option });
}
