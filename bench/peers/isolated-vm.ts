import { createRequire } from 'node:module';
import { ECHO, type OpenPeer, type Peer } from './peer.js';

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

/** A V8 isolate in the host's process. It has to be compiled for the Node that runs. */
export const isolatedVm: Peer = {
  name: 'isolated-vm',
  containment: "a V8 isolate in the host's process",
  open: async (): Promise<OpenPeer> => {
    const loaded = createRequire(import.meta.url)('isolated-vm') as IsolatedVm;
    const { Isolate } = loaded.default ?? loaded;
    const isolate = new Isolate({ memoryLimit: 128 });
    const context = await isolate.createContext();
    const run = await context.eval(ECHO, { reference: true });
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
