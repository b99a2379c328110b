import { isDeepEqual } from './deep-equal.js';
import { offer } from './denied.js';
import { inspect } from './inspect.js';

export class AssertionError extends Error {
  override readonly name: string = 'AssertionError';
  readonly code: string = 'ERR_ASSERTION';
  readonly generatedMessage: boolean;
  readonly actual: unknown;
  readonly expected: unknown;
  readonly operator: string;

  constructor(
    options: Readonly<{
      message?: string;
      actual?: unknown;
      expected?: unknown;
      operator?: string;
    }>,
  ) {
    const { message, actual, expected, operator = 'fail' } = options;
    super(message ?? `${inspect(actual)} ${operator} ${inspect(expected)}`);
    this.generatedMessage = message === undefined;
    this.actual = actual;
    this.expected = expected;
    this.operator = operator;
  }
}

type Check = (actual: unknown, expected: unknown) => boolean;
type Assertion = (actual: unknown, expected: unknown, message?: string | Error) => void;

function makeAssertion(operator: string, check: Check): Assertion {
  return (actual, expected, message) => {
    if (!check(actual, expected)) throw failure({ message, actual, expected, operator });
  };
}

function failure(options: {
  readonly message: string | Error | undefined;
  readonly actual?: unknown;
  readonly expected?: unknown;
  readonly operator: string;
}): Error {
  const { message, ...rest } = options;
  if (message instanceof Error) return message;
  return new AssertionError(message === undefined ? rest : { ...rest, message });
}

function ok(value: unknown, message?: string | Error): void {
  if (!value) throw failure({ message, actual: value, expected: true, operator: '==' });
}

function fail(message: string | Error = 'Failed'): never {
  throw failure({ message, operator: 'fail' });
}

function throws(run: () => unknown, expected?: unknown, message?: string): void {
  try {
    run();
  } catch (error) {
    checkError(error, expected);
    return;
  }
  const text = typeof expected === 'string' ? expected : message;
  throw failure({ message: text ?? 'Missing expected exception.', operator: 'throws' });
}

async function rejects(
  run: Promise<unknown> | (() => Promise<unknown>),
  expected?: unknown,
): Promise<void> {
  try {
    await (typeof run === 'function' ? run() : run);
  } catch (error) {
    checkError(error, expected);
    return;
  }
  throw failure({ message: 'Missing expected rejection.', operator: 'rejects' });
}

/** Checks an error against a class, a pattern, a predicate or expected properties. */
function checkError(error: unknown, expected: unknown): void {
  if (expected === undefined || typeof expected === 'string') return;
  if (expected instanceof RegExp) {
    if (!expected.test(String(error))) throw error;
  } else if (typeof expected === 'function') {
    const prototype: unknown = expected.prototype;
    const isClass = prototype instanceof Error || expected === Error;
    const matches = isClass
      ? Object.prototype.isPrototypeOf.call(expected.prototype, Object(error))
      : expected(error) === true;
    if (!matches) throw error;
  } else if (typeof expected === 'object' && expected !== null) {
    for (const [key, value] of Object.entries(expected)) {
      const actual: unknown = Reflect.get(Object(error), key);
      const matches =
        value instanceof RegExp ? value.test(String(actual)) : isDeepEqual(actual, value, true);
      if (!matches)
        throw failure({ message: undefined, actual, expected: value, operator: 'throws' });
    }
  }
}

// oxlint-disable-next-line eqeqeq -- what the loose comparison is
const looseEqual: Check = (a, b) => a == b || (a !== a && b !== b);
const deep =
  (strict: boolean): Check =>
  (a, b) =>
    isDeepEqual(a, b, strict);
const not =
  (check: Check): Check =>
  (a, b) =>
    !check(a, b);
const matches: Check = (text, pattern) => pattern instanceof RegExp && pattern.test(String(text));

const strictAssertions = {
  equal: makeAssertion('strictEqual', Object.is),
  notEqual: makeAssertion('notStrictEqual', not(Object.is)),
  deepEqual: makeAssertion('deepStrictEqual', deep(true)),
  notDeepEqual: makeAssertion('notDeepStrictEqual', not(deep(true))),
};

const assertions = {
  ok,
  fail,
  throws,
  rejects,
  doesNotThrow: (run: () => unknown): void => void run(),
  doesNotReject: async (run: Promise<unknown> | (() => Promise<unknown>)): Promise<void> => {
    await (typeof run === 'function' ? run() : run);
  },
  ifError: (value: unknown): void => {
    if (value !== null && value !== undefined) throw value;
  },
  equal: makeAssertion('==', looseEqual),
  notEqual: makeAssertion('!=', not(looseEqual)),
  deepEqual: makeAssertion('deepEqual', deep(false)),
  notDeepEqual: makeAssertion('notDeepEqual', not(deep(false))),
  strictEqual: strictAssertions.equal,
  notStrictEqual: strictAssertions.notEqual,
  deepStrictEqual: strictAssertions.deepEqual,
  notDeepStrictEqual: strictAssertions.notDeepEqual,
  match: makeAssertion('match', matches),
  doesNotMatch: makeAssertion('doesNotMatch', not(matches)),
  AssertionError,
};

/** The strict variants, also `assert.strict`. */
export const strict: object = Object.assign(
  (value: unknown, message?: string | Error): void => ok(value, message),
  assertions,
  strictAssertions,
);

export const builtin: object = offer(
  'assert',
  Object.assign(
    (value: unknown, message?: string | Error): void => ok(value, message),
    assertions,
    {
      strict,
    },
  ),
);
