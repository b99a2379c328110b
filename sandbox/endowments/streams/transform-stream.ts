import { makeBrand } from '../brand.js';
import { member, toOptions } from '../web-idl.js';
import { failSink, startSink, type SinkState } from './sink-state.js';
import { readHighWaterMark, readMethod } from './sources.js';
import { wrapStream } from './readable-stream.js';
import {
  canEnqueue,
  defer,
  desiredSize,
  enqueue,
  fail,
  finish,
  makeStreamState,
  start,
  type StreamState,
} from './stream-state.js';
import { makeWritable, readSize } from './writable-stream.js';

/** A function from the chunks of one stream to those of another. */
export interface Transform {
  readonly transform: (chunk: unknown, output: StreamState) => unknown;
  readonly flush: (output: StreamState) => unknown;
}

export interface TransformState {
  readonly readable: object;
  readonly writable: object;
}

interface Joined extends TransformState {
  readonly output: StreamState;
  readonly input: SinkState;
}

interface Strategies {
  readonly writableMark: number;
  readonly writableSize: (chunk: unknown) => number;
  readonly readableMark: number;
  readonly readableSize: (chunk: unknown) => number;
}

const PLAIN: Strategies = {
  writableMark: 1,
  writableSize: () => 1,
  readableMark: 0,
  readableSize: () => 1,
};

/** Joins a writable and a readable stream. A write waits until its output is wanted. */
export function joinStreams(
  { transform, flush }: Transform,
  begin: (output: StreamState) => unknown = () => undefined,
  strategies: Strategies = PLAIN,
): Joined {
  let wanted = defer<undefined>();
  let isWanted = false;
  const want = (): void => {
    isWanted = true;
    wanted.settle.resolve(undefined);
  };
  const output = makeStreamState({
    pull: want,
    cancel: (reason) => {
      failSink(input.state, reason);
      want();
    },
    highWaterMark: strategies.readableMark,
    sizeOf: strategies.readableSize,
  });
  const failBoth = (error: unknown): never => {
    fail(output, error);
    throw error;
  };
  const input = makeWritable({
    write: async (chunk) => {
      if (!isWanted) await wanted.promise;
      if (output.status === 'errored') throw output.error;
      try {
        await transform(chunk, output);
      } catch (error) {
        failBoth(error);
      }
      const hasReader = output.reader !== undefined && output.reader.waiting.length > 0;
      if (hasReader || (desiredSize(output) ?? 1) > 0) return;
      isWanted = false;
      wanted = defer();
    },
    close: async () => {
      try {
        await flush(output);
      } catch (error) {
        failBoth(error);
      }
      if (output.status === 'errored') throw output.error;
      finish(output);
    },
    abort: (reason) => {
      fail(output, reason);
      want();
    },
    highWaterMark: strategies.writableMark,
    sizeOf: strategies.writableSize,
  });
  const started = new Promise((resolve) => {
    resolve(begin(output));
  });
  start(output, started);
  startSink(input.state, started);
  return {
    readable: wrapStream(output),
    writable: input.stream,
    output,
    input: input.state,
  };
}

const transforms = makeBrand<TransformState>('TransformStream');

/** The web's `TransformStream`. */
export class TransformStream {
  constructor(transformer?: unknown, writableStrategy?: unknown, readableStrategy?: unknown) {
    const given = toOptions(transformer, 'transformer of a stream');
    const begin = readMethod(given, 'start');
    const transform = readMethod(given, 'transform');
    const flush = readMethod(given, 'flush');
    const writable = toOptions(writableStrategy, 'strategy of a stream');
    const readable = toOptions(readableStrategy, 'strategy of a stream');
    const controller: object = Object.create(TransformController.prototype);
    const begun = defer<unknown>();
    const joined = joinStreams(
      {
        transform: (chunk, output) =>
          transform === undefined
            ? enqueue(output, chunk)
            : transform.call(given, chunk, controller),
        flush: () => flush?.call(given, controller),
      },
      () => begun.promise,
      {
        writableMark: readHighWaterMark(member(writable, 'highWaterMark'), 1),
        writableSize: readSize(writable),
        readableMark: readHighWaterMark(member(readable, 'highWaterMark'), 0),
        readableSize: readSize(readable),
      },
    );
    controllers.give(controller, joined);
    transforms.give(this, joined);
    // After the controller works, because `start` may use it.
    begun.settle.resolve(begin?.call(given, controller));
  }

  get readable(): object {
    return transforms.demand(this).readable;
  }
  get writable(): object {
    return transforms.demand(this).writable;
  }

  get [Symbol.toStringTag](): string {
    return 'TransformStream';
  }
}

const controllers = makeBrand<Joined>('TransformStreamDefaultController');

/** The controller of a transformer. */
class TransformController {
  constructor() {
    throw new TypeError('A controller comes with a stream');
  }

  get desiredSize(): number | null {
    return desiredSize(controllers.demand(this).output);
  }

  enqueue(chunk?: unknown): void {
    const { output } = controllers.demand(this);
    if (!canEnqueue(output)) throw new TypeError('The stream does not accept more chunks');
    enqueue(output, chunk);
  }

  error(reason?: unknown): void {
    const { output, input } = controllers.demand(this);
    fail(output, reason);
    failSink(input, reason);
  }

  terminate(): void {
    const { output, input } = controllers.demand(this);
    finish(output);
    failSink(input, new TypeError('The stream was terminated'));
  }

  get [Symbol.toStringTag](): string {
    return 'TransformStreamDefaultController';
  }
}

/** Objects that plugin code reaches through streams, but not through a global's properties. */
export const transformInternals: readonly object[] = [TransformController];
