import type { TextSink } from '../../src/cli/capabilities.js';

export interface FakeSink extends TextSink {
  text: string;
  closed: boolean;
}

export function makeSink(isTerminal: boolean): FakeSink {
  const sink: FakeSink = {
    text: '',
    isTerminal,
    colour: false,
    closed: false,
    write: (text) => {
      sink.text += text;
      return Promise.resolve();
    },
  };
  return sink;
}

export async function* stream(text: string | readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* typeof text === 'string' ? [new TextEncoder().encode(text)] : text;
}
