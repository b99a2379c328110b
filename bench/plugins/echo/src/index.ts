import { floors, fib } from './compute.js';

const annotations = { readOnlyHint: true };

export const tools = [
  {
    id: 'echo',
    name: 'Echo',
    description: 'Returns its input',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, n: { type: 'number' }, s: { type: 'string' } },
    },
    annotations,
    execute: async ({ city, s }: { city?: string; s?: string }) => ({
      ok: true,
      len: s ? s.length : 0,
      city,
    }),
  },
  {
    id: 'compute',
    name: 'Compute',
    description: 'Repeats a computation',
    annotations,
    execute: async ({ work, times }: { work: 'fib' | 'floors'; times: number }) => {
      let result = 0;
      for (let n = 0; n < times; n += 1) result = work === 'fib' ? fib(27) : floors();
      return result;
    },
  },
  {
    id: 'download',
    name: 'Download',
    description: 'Reads a body to its end, and says how long it was',
    annotations,
    execute: async ({ url }: { url: string }) => {
      const { body } = await fetch(url);
      let bytes = 0;
      for await (const piece of body) bytes += piece.length;
      return bytes;
    },
  },
  {
    id: 'loop',
    name: 'Loop',
    description: 'Never ends',
    annotations,
    execute: () => {
      for (;;);
    },
  },
];
