import { startFloor } from '../floor.js';
import { fib, floors } from '../plugins/echo/src/compute.js';
import { call, startEngine } from '../subject.js';
import type { Peer } from './peer.js';

export const bulkhead: Peer = {
  name: 'Bulkhead',
  isolation: 'a process without files, network or children',
  ownProcess: true,
  open: async (work) => {
    let pid = 0;
    const engine = await startEngine(0);
    const off = engine.on((event) => {
      if (event.type !== 'guest-started') return;
      ({ pid } = event);
      // Events of other calls do not reach a listener.
      off();
    });
    return {
      get pid() {
        return pid;
      },
      call: (input) =>
        work === 'echo'
          ? call(engine, 'echo', input)
          : call(engine, 'compute', { ...(input as object), work }),
      close: () => engine.close(),
    };
  },
};

export const floor: Peer = {
  name: 'a bare pipe',
  isolation: 'nothing: an ordinary process',
  ownProcess: true,
  isFloor: true,
  open: (work) => {
    if (work !== 'echo') {
      const once = work === 'fib' ? () => fib(27) : floors;
      const compute = (input: unknown): number => {
        let result = 0;
        for (let n = 0; n < (input as { times: number }).times; n += 1) result = once();
        return result;
      };
      return Promise.resolve({
        call: (input) => Promise.resolve(compute(input)),
        close: () => {},
      });
    }
    const { pid, call: echo, close } = startFloor();
    return Promise.resolve({ pid, call: echo, close });
  },
};
