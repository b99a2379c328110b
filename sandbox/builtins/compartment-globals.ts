/** The globals that a compartment may have. Each may be absent, or appear later. */
export interface CompartmentGlobals {
  readonly env: { readonly get: (name: string) => string | undefined };
  readonly readFile: (path: string) => Promise<string>;
  readonly fetch: (input: unknown, init?: unknown) => Promise<unknown>;
  readonly console: Readonly<
    Record<'log' | 'info' | 'warn' | 'error', (...args: unknown[]) => void>
  >;
  readonly setTimeout: (
    callback: (...args: unknown[]) => void,
    delay?: number,
    ...args: unknown[]
  ) => unknown;
  readonly clearTimeout: (handle: unknown) => void;
  readonly setInterval: (
    callback: (...args: unknown[]) => void,
    delay?: number,
    ...args: unknown[]
  ) => unknown;
  readonly clearInterval: (handle: unknown) => void;
  readonly queueMicrotask: (callback: () => void) => void;
  readonly URL: UrlConstructor;
  readonly URLSearchParams: new (init?: unknown) => unknown;
  readonly TextEncoder: new () => { encode(text: string): Uint8Array };
  readonly TextDecoder: new (
    label?: string,
    options?: { readonly ignoreBOM?: boolean },
  ) => { decode(bytes: Uint8Array): string };
  readonly crypto: {
    readonly getRandomValues: <View>(view: View) => View;
    readonly randomUUID: () => string;
    readonly subtle: object;
  };
  readonly AbortController: new () => unknown;
  readonly Blob: new (...args: unknown[]) => unknown;
  readonly FormData: new (...args: unknown[]) => unknown;
  readonly Headers: new (...args: unknown[]) => unknown;
  readonly Request: new (...args: unknown[]) => unknown;
  readonly Response: new (...args: unknown[]) => unknown;
}

export interface UrlConstructor {
  new (href: string, base?: string): UrlLike;
}

export interface UrlLike {
  readonly href: string;
  readonly protocol: string;
  readonly username: string;
  readonly password: string;
  readonly hostname: string;
  readonly host: string;
  readonly port: string;
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
}

/** A global of the compartment, read at the time of use. */
export function compartmentGlobal<Name extends keyof CompartmentGlobals>(
  name: Name,
): CompartmentGlobals[Name] | undefined {
  return Reflect.get(globalThis, name);
}

/** A global that every compartment has. */
export function always<Name extends keyof CompartmentGlobals>(
  name: Name,
): CompartmentGlobals[Name] {
  const value = compartmentGlobal(name);
  if (value === undefined) throw new ReferenceError(`${name} is not defined`);
  return value;
}
