import { makeBrand } from './brand.js';
import { withCode } from './errors.js';
import type { Endowed, Endowment, EndowmentCapabilities, UrlParts } from './endowment.js';
import { formDecode, formEncode } from './form-urlencoded.js';
import { searchParams, searchParamsClass } from './url-search-params.js';
import { toScalarText, walk } from './web-idl.js';

/** `URL` and `URLSearchParams`: classes of our own over the platform's parser. */
export const url: Endowment = {
  globals: ['URL', 'URLSearchParams'],
  make: (capabilities): Endowed => {
    harden(walk);
    return {
      globals: { URL: makeURL(capabilities), URLSearchParams: searchParamsClass(capabilities) },
      // Parsing a URL is not an authority, so nothing is revoked.
      revoke: () => undefined,
    };
  },
};

interface UrlState {
  parts: UrlParts;
  /** The live `searchParams`, created on first use. */
  params: object | undefined;
}

/**
 * The parts that can be set one at a time. `origin` is read-only, and `href` is parsed as a whole.
 */
type UrlPart = Exclude<keyof UrlParts, 'origin' | 'href'>;

function makeURL(capabilities: EndowmentCapabilities): object {
  const urls = makeBrand<UrlState>('URL');
  const SearchParams = searchParamsClass(capabilities);

  const parse = (href: unknown, base: unknown): UrlParts | undefined => {
    const text = toScalarText(href);
    return base === undefined
      ? capabilities.url.parse(text)
      : capabilities.url.parse(text, toScalarText(base));
  };
  const demandParts = (href: unknown, base: unknown): UrlParts => {
    const text = toScalarText(href);
    const parts = parse(text, base);
    if (parts !== undefined) return parts;
    const error = withCode(new TypeError('Invalid URL'), 'ERR_INVALID_URL');
    throw Object.assign(error, { input: text });
  };
  const assign = (state: UrlState, part: UrlPart, value: unknown): void => {
    const text = toScalarText(value);
    state.parts = capabilities.url.set(state.parts.href, part, text);
  };
  const refreshParams = ({ parts, params }: UrlState): void => {
    const linked = searchParams.read(params);
    if (linked !== undefined) linked.list = formDecode(parts.search.slice(1), capabilities.text);
  };
  const makeParams = (state: UrlState): object => {
    const params: object = Object.create(SearchParams.prototype);
    searchParams.give(params, {
      list: formDecode(state.parts.search.slice(1), capabilities.text),
      changed: () => assign(state, 'search', formEncode(searchParams.demand(params).list)),
    });
    return params;
  };

  return class URL {
    constructor(href: unknown, base?: unknown) {
      urls.give(this, { parts: demandParts(href, base), params: undefined });
    }

    static canParse(href: unknown, base?: unknown): boolean {
      return parse(href, base) !== undefined;
    }
    static parse(href: unknown, base?: unknown): object | null {
      const parts = parse(href, base);
      if (parts === undefined) return null;
      const made: object = Object.create(URL.prototype);
      urls.give(made, { parts, params: undefined });
      return made;
    }

    get href(): string {
      return urls.demand(this).parts.href;
    }
    set href(value: unknown) {
      const state = urls.demand(this);
      state.parts = demandParts(value, undefined);
      refreshParams(state);
    }
    get origin(): string {
      return urls.demand(this).parts.origin;
    }
    get protocol(): string {
      return urls.demand(this).parts.protocol;
    }
    set protocol(value: unknown) {
      assign(urls.demand(this), 'protocol', value);
    }
    get username(): string {
      return urls.demand(this).parts.username;
    }
    set username(value: unknown) {
      assign(urls.demand(this), 'username', value);
    }
    get password(): string {
      return urls.demand(this).parts.password;
    }
    set password(value: unknown) {
      assign(urls.demand(this), 'password', value);
    }
    get host(): string {
      return urls.demand(this).parts.host;
    }
    set host(value: unknown) {
      assign(urls.demand(this), 'host', value);
    }
    get hostname(): string {
      return urls.demand(this).parts.hostname;
    }
    set hostname(value: unknown) {
      assign(urls.demand(this), 'hostname', value);
    }
    get port(): string {
      return urls.demand(this).parts.port;
    }
    set port(value: unknown) {
      assign(urls.demand(this), 'port', value);
    }
    get pathname(): string {
      return urls.demand(this).parts.pathname;
    }
    set pathname(value: unknown) {
      assign(urls.demand(this), 'pathname', value);
    }
    get search(): string {
      return urls.demand(this).parts.search;
    }
    set search(value: unknown) {
      const state = urls.demand(this);
      assign(state, 'search', value);
      refreshParams(state);
    }
    get searchParams(): object {
      const state = urls.demand(this);
      state.params ??= makeParams(state);
      return state.params;
    }
    get hash(): string {
      return urls.demand(this).parts.hash;
    }
    set hash(value: unknown) {
      assign(urls.demand(this), 'hash', value);
    }

    toString(): string {
      return urls.demand(this).parts.href;
    }
    toJSON(): string {
      return urls.demand(this).parts.href;
    }
    get [Symbol.toStringTag](): string {
      return 'URL';
    }
  };
}
