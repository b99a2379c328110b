import { platform } from './platform.js';

/** What is wrong with the objects that plugin code can reach from `roots`. */
export interface ObjectReport {
  readonly objects: number;
  /** Paths to objects that plugin code could change for others. */
  readonly unfrozen: readonly string[];
  /** Paths to objects of the platform, and not of ours or the language's. */
  readonly platform: readonly string[];
}

/**
 * Walks everything that is reachable from `roots` by own properties, prototypes, and what getters
 * answer, in the start realm, where a platform's object can be told by identity.
 *
 * A plugin's own instances are open objects, as the web's are; what must be frozen is whatever two
 * pieces of code share: functions, prototypes and everything that hangs on globals.
 */
export function inspectObjects(roots: Readonly<Record<string, unknown>>): ObjectReport {
  const known = platformObjects();
  const seen = new Set<object>();
  const report = { objects: 0, unfrozen: [] as string[], platform: [] as string[] };
  const queue: { readonly path: string; readonly object: object; readonly shared: boolean }[] = [];

  const add = (path: string, value: unknown, shared: boolean): void => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return;
    if (seen.has(value)) return;
    seen.add(value);
    queue.push({ path, object: value, shared });
  };
  for (const [name, root] of Object.entries(roots)) add(name, root, name === 'globals');

  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { path, object, shared } = next;
    report.objects += 1;
    if (known.has(object)) report.platform.push(path);
    if (shared && !Object.isFrozen(object)) report.unfrozen.push(path);
    add(`${path}.[[Prototype]]`, Object.getPrototypeOf(object), true);
    for (const key of Reflect.ownKeys(object)) {
      const step = `${path}.${String(key)}`;
      const property = Object.getOwnPropertyDescriptor(object, key);
      add(step, property?.value, shared || typeof property?.value === 'function');
      add(`${step}.get`, property?.get, true);
      add(`${step}.set`, property?.set, true);
    }
    for (const [name, answer] of readGetters(object)) add(`${path}.${name}()`, answer, shared);
  }
  return report;
}

/** What the getters along an object's prototypes answer for it. */
function readGetters(object: object): [string, unknown][] {
  const answers: [string, unknown][] = [];
  for (let at: object | null = object; at !== null; at = Object.getPrototypeOf(at)) {
    for (const key of Reflect.ownKeys(at)) {
      const get = Object.getOwnPropertyDescriptor(at, key)?.get;
      if (get === undefined || key === '__proto__') continue;
      try {
        const answer: unknown = Reflect.apply(get, object, []);
        // What is made anew for every reader is shared by none.
        if (answer === Reflect.apply(get, object, [])) answers.push([String(key), answer]);
      } catch {
        continue;
      }
    }
  }
  return answers;
}

/** Whatever of the start realm no plugin may have: Node's objects, and the untamed ones. */
function platformObjects(): Set<object> {
  const language = new Set<unknown>(
    Object.values(Object.getOwnPropertyDescriptors(new Compartment().globalThis)).map(
      ({ value }) => value as unknown,
    ),
  );
  const found = new Set<object>();
  const add = (value: unknown): void => {
    if ((typeof value === 'object' || typeof value === 'function') && value !== null)
      found.add(value);
  };
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const value: unknown = Reflect.get(globalThis, name);
    if (language.has(value) || LANGUAGE.has(name)) continue;
    add(value);
    if (typeof value === 'function' && !INTRINSIC.has(name)) add(value.prototype);
  }
  add(process);
  add(process.versions);
  add(setTimeout);
  const timer = setTimeout(() => {}, 0);
  clearTimeout(timer);
  add(Object.getPrototypeOf(timer));
  add(Buffer.prototype);
  for (const taken of Object.values(platform)) {
    add(taken);
    add(taken.prototype);
  }
  add(Object.getPrototypeOf(new URLSearchParams().entries()));
  return found;
}

/** The language's own, though no compartment has them from SES. */
const LANGUAGE = new Set(['Math', 'harden', 'Float32Array', 'Float64Array']);

/** Untamed in the start realm, with a prototype that every realm object shares. */
const INTRINSIC = new Set([
  'Date',
  'Error',
  'RegExp',
  'Function',
  'Symbol',
  'Iterator',
  'WeakRef',
  'FinalizationRegistry',
  'SharedArrayBuffer',
]);
