import { isDeepEqual } from './deep-equal.js';
import { offer } from './denied.js';
import { format, CUSTOM, inspect, type InspectOptions } from './inspect.js';
import { always, compartmentGlobal } from './compartment-globals.js';
import { parseArgs } from './parse-args.js';
import { types } from './util-types.js';

// The stand-in for `node:util`: its name and its exports are those of Node's module.

type Callback = (error: unknown, value?: unknown) => void;
type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

const PROMISIFIED: symbol = Symbol.for('nodejs.util.promisify.custom');

function promisify(original: AnyFunction): unknown {
  if (typeof original !== 'function') {
    throw Object.assign(new TypeError('The "original" argument must be of type function.'), {
      code: 'ERR_INVALID_ARG_TYPE',
    });
  }
  const custom: unknown = Reflect.get(original, PROMISIFIED);
  if (typeof custom === 'function') return custom;
  return function (this: unknown, ...args: unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const settle: Callback = (error, value) => {
        if (error !== undefined && error !== null) reject(error);
        else resolve(value);
      };
      Reflect.apply(original, this, [...args, settle]);
    });
  };
}

function callbackify(original: (...args: unknown[]) => Promise<unknown>): AnyFunction {
  return function (this: unknown, ...args) {
    const callback = args.pop();
    if (typeof callback !== 'function') throw new TypeError('The last argument must be a function');
    const call = (...settled: unknown[]): void => {
      always('queueMicrotask')(() => Reflect.apply(callback, this, settled));
    };
    Reflect.apply(original, this, args).then(
      (value) => call(null, value),
      (error: unknown) => call(error ?? new Error('Promise was rejected with a falsy value')),
    );
  };
}

type Constructor = { prototype: object; super_?: unknown };

function inherits(constructor: Constructor, parent: Constructor): void {
  Object.defineProperty(constructor, 'super_', {
    value: parent,
    writable: true,
    configurable: true,
  });
  Object.setPrototypeOf(constructor.prototype, parent.prototype);
}

const isKind =
  (kind: string) =>
  (value: unknown): boolean =>
    typeof value === kind;

export const builtin: object = offer('util', {
  format,
  formatWithOptions: (_: InspectOptions, ...args: unknown[]): string => format(...args),
  inspect: Object.assign(inspect, { custom: CUSTOM, defaultOptions: {}, colors: {}, styles: {} }),
  promisify: Object.assign(promisify, { custom: PROMISIFIED }),
  callbackify,
  parseArgs,
  inherits,
  deprecate: <Wrapped>(wrapped: Wrapped): Wrapped => wrapped,
  debuglog: (): object => Object.assign(() => undefined, { enabled: false }),
  debug: (): object => Object.assign(() => undefined, { enabled: false }),
  isDeepStrictEqual: (a: unknown, b: unknown): boolean => isDeepEqual(a, b, true),
  stripVTControlCharacters: (text: string): string =>
    // oxlint-disable-next-line no-control-regex -- control characters are what it strips
    text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007]*(?:\u0007|\u001b\\)/g, ''),
  toUSVString: (text: string): string => text.replace(/\p{Surrogate}/gu, '\uFFFD'),
  styleText: (_: unknown, text: string): string => text,
  types,
  get TextEncoder() {
    return compartmentGlobal('TextEncoder');
  },
  get TextDecoder() {
    return compartmentGlobal('TextDecoder');
  },
  _extend: (target: object, source: object): object => Object.assign(target, source),
  isArray: Array.isArray,
  isBoolean: isKind('boolean'),
  isFunction: isKind('function'),
  isNumber: isKind('number'),
  isString: isKind('string'),
  isSymbol: isKind('symbol'),
  isUndefined: isKind('undefined'),
  isNull: (value: unknown): boolean => value === null,
  isNullOrUndefined: (value: unknown): boolean => value === null || value === undefined,
  isObject: (value: unknown): boolean => typeof value === 'object' && value !== null,
  isPrimitive: (value: unknown): boolean => Object(value) !== value,
  isDate: (value: unknown): boolean => value instanceof Date,
  isError: (value: unknown): boolean => value instanceof Error,
  isRegExp: (value: unknown): boolean => value instanceof RegExp,
});
