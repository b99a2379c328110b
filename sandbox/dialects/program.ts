import { toPluginError, withCode } from '../endowments/errors.js';
import { isRecord } from '../wire/json.js';
import { CodedError } from '../wire/failure.js';
import { RawJson } from '../wire/service.js';
import type { Attached, CallWorld, Dialect, DialectWorld } from './dialect.js';

/**
 * A program that calls tools. Its module exports one function by default. Its globals are `tools`,
 * `search`, `describe` and `text`. Each of them asks the host, which decides every call.
 */
export const program: Dialect = {
  hasCryptoRandom: false,
  globals: (world) => {
    const ask = makeRequester(world);
    return harden({
      ...TIMERS,
      tools: makeTools(world, ask),
      search: (words: unknown, limit?: unknown) => ask('search', { words, limit }),
      describe: (tool: unknown) => ask('describe', { tool }),
      text: (value: unknown): void =>
        outputs.get(world)?.(typeof value === 'string' ? value : world.serialize(value)),
    });
  },
  attach: (exports, world): Attached => ({
    describe: async () => 'null',
    call: (_tool, input, call: CallWorld) => {
      const run: unknown = exports['default'];
      if (typeof run !== 'function') {
        throw new CodedError('LOAD_FAILED', 'the program exports no function by default');
      }
      if (call.output !== undefined) outputs.set(world, call.output);
      return Reflect.apply(run, undefined, [input]);
    },
  }),
};

/**
 * A program has no timers: if it is resumed, it gets the same answers in the same order, and must make the
 * same requests.
 */
const TIMERS = Object.fromEntries(
  ['setTimeout', 'setInterval', 'setImmediate'].map((name) => [
    name,
    () => {
      throw withCode(
        new Error(`A program has no ${name}. Call the tools with await, one after the other.`),
        'TIME_DENIED',
      );
    },
  ]),
);

/** Where `text` writes, while the program runs. */
const outputs = new WeakMap<DialectWorld, (text: string) => void>();

type Requester = (op: string, params: object) => Promise<unknown>;

function makeRequester({ powers, serialize }: DialectWorld): Requester {
  return async (op, params) => {
    const text = serialize(params);
    let answer: unknown;
    try {
      answer = await powers.host.request(
        'program',
        new RawJson(`{"op":${JSON.stringify(op)},"params":${text}}`),
      );
    } catch (error) {
      throw toPluginError(error, 'TOOL_FAILED', 'The host did not answer.');
    }
    if (!isRecord(answer)) return undefined;
    const { error } = answer;
    if (!isRecord(error)) return answer['value'];
    throw withCode(new Error(String(error['message'])), String(error['code']));
  };
}

/** `tools.<plugin>.<tool>(input)`. The host knows which tools exist. */
function makeTools({ powers }: DialectWorld, ask: Requester): object {
  return members((plugin) =>
    members((tool) =>
      harden((input: unknown): Promise<unknown> => {
        // Copied now: the program may change its object before the request is sent.
        const copy: unknown =
          input === undefined ? {} : JSON.parse(powers.serialize(input, { subject: 'The input' }));
        return ask('call', { plugin, tool, input: copy });
      }),
    ),
  );
}

/** An object that makes its members when they are read. */
function members(make: (name: string) => unknown): object {
  return new Proxy(Object.freeze(Object.create(null)), {
    get: (_target, name) => {
      // `await` reads `then` and `JSON.stringify` reads `toJSON`. Neither is a tool.
      if (typeof name === 'symbol' || name === 'then' || name === 'toJSON') return undefined;
      return make(name);
    },
  });
}
