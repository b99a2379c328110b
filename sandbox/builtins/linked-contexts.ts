/** The argument of a bundle. A bundle that runs without it has contexts that follow no promise. */
declare const $bulkhead: { readonly modules: Readonly<Record<string, unknown>> } | undefined;

/** As `AsyncContextsFace` of the guest. */
interface Contexts {
  readonly get: (key: object) => unknown;
  readonly run: <Result>(key: object, value: unknown, callback: () => Result) => Result;
  readonly enter: (key: object, value: unknown) => void;
  readonly snapshot: () => <Result>(callback: () => Result) => Result;
}

let contexts: Contexts | undefined;

/** The values that belong to the code that runs now and to what it starts. */
export function linkedContexts(): Contexts {
  contexts ??= findContexts() ?? makeLocalContexts();
  return contexts;
}

function findContexts(): Contexts | undefined {
  if (typeof $bulkhead === 'undefined') return undefined;
  const found: unknown = $bulkhead.modules['bulkhead:contexts'];
  return isContexts(found) ? found : undefined;
}

function isContexts(found: unknown): found is Contexts {
  return typeof found === 'object' && found !== null && 'snapshot' in found;
}

function makeLocalContexts(): Contexts {
  let current = new Map<object, unknown>();
  const within = <Result>(context: Map<object, unknown>, callback: () => Result): Result => {
    const before = current;
    current = context;
    try {
      return callback();
    } finally {
      current = before;
    }
  };
  return {
    get: (key) => current.get(key),
    run: (key, value, callback) => within(new Map(current).set(key, value), callback),
    enter: (key, value) => {
      current = new Map(current).set(key, value);
    },
    snapshot: () => {
      const context = current;
      return (callback) => within(context, callback);
    },
  };
}
