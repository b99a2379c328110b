import { createRequire } from 'node:module';
import { type OpenPeer, type Peer, SOURCES } from './peer.js';

/** As much of isolated-vm as is used here. */
interface IsolatedVm {
  readonly default?: IsolatedVm;
  readonly Isolate: new (options: { memoryLimit: number }) => Isolate;
}

interface Isolate {
  createContext(): Promise<Context>;
  dispose(): void;
}

interface Context {
  eval(code: string, options: object): Promise<Reference>;
}

interface Reference {
  apply(self: undefined, args: unknown[], options: object): Promise<unknown>;
}

/** A V8 isolate in the host's process. It comes compiled for the Nodes that it names. */
export const isolatedVm: Peer = {
  name: 'isolated-vm',
  isolation: "a V8 isolate in the host's process",
  ownProcess: false,
  package: 'isolated-vm',
  fromNode: 24,
  open: async (work): Promise<OpenPeer> => {
    const loaded = createRequire(import.meta.url)('isolated-vm') as IsolatedVm;
    const { Isolate } = loaded.default ?? loaded;
    const isolate = new Isolate({ memoryLimit: 128 });
    const context = await isolate.createContext();
    const run = await context.eval(SOURCES[work], { reference: true });
    return {
      call: (input) =>
        run.apply(undefined, [input], {
          arguments: { copy: true },
          result: { promise: true, copy: true },
        }),
      close: () => isolate.dispose(),
    };
  },
};
