import { createRequire } from 'node:module';
import { type OpenPeer, type Peer, SOURCES } from './peer.js';

interface Handle {
  dispose(): void;
}

/** As much of quickjs-emscripten as is used here. */
interface QuickJs {
  getQuickJS(): Promise<{ newContext(): Context }>;
}

interface Context {
  evalCode(code: string): Handle & { readonly value: Handle; readonly error?: Handle };
  unwrapResult(result: Handle): Handle;
  callFunction(fn: Handle, self: Handle, ...args: Handle[]): Handle;
  newString(text: string): Handle;
  getString(handle: Handle): string;
  readonly undefined: Handle;
  readonly runtime: { executePendingJobs(): Handle };
  dispose(): void;
}

const wrap = (source: string): string => `
const run = ${source};
let answer;
globalThis.begin = (text) => { run(JSON.parse(text)).then((value) => { answer = JSON.stringify(value); }); };
globalThis.end = () => answer;
`;

/** QuickJS in WebAssembly: an interpreter of its own, in the host's process. */
export const quickjs: Peer = {
  name: 'quickjs-emscripten',
  isolation: "WebAssembly in the host's process",
  ownProcess: false,
  package: 'quickjs-emscripten',
  open: async (work): Promise<OpenPeer> => {
    const { getQuickJS } = createRequire(import.meta.url)('quickjs-emscripten') as QuickJs;
    const context = (await getQuickJS()).newContext();
    context.unwrapResult(context.evalCode(wrap(SOURCES[work]))).dispose();
    const [begin, end] = ['begin', 'end'].map((name) =>
      context.unwrapResult(context.evalCode(name)),
    );
    if (begin === undefined || end === undefined) throw new Error('not evaluated');
    return {
      call: (input) => {
        const text = context.newString(JSON.stringify(input));
        context.unwrapResult(context.callFunction(begin, context.undefined, text)).dispose();
        text.dispose();
        context.runtime.executePendingJobs().dispose();
        const answer = context.unwrapResult(context.callFunction(end, context.undefined));
        const value: unknown = JSON.parse(context.getString(answer));
        answer.dispose();
        return Promise.resolve(value);
      },
      close: () => {
        begin.dispose();
        end.dispose();
        context.dispose();
      },
    };
  },
};
