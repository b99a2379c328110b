import { createServer } from 'node:http';
import { request } from 'undici';
import { startEngine, type Measure } from './subject.js';

const BYTES = 64 * 1024 * 1024;
const ROUNDS = 5;

/** A body of 64 MB from a loopback server: through the plugin's fetch, and by undici alone. */
export async function measureStreams(): Promise<Measure> {
  const chunk = Buffer.alloc(64 * 1024, 1);
  const server = createServer((_request, response) => {
    let left = BYTES;
    const send = (): void => {
      while (left > 0) {
        left -= chunk.length;
        if (!response.write(chunk)) {
          response.once('drain', send);
          return;
        }
      }
      response.end();
    };
    send();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const engine = await startEngine(0, {
    grant: 'declared',
    network: { overrides: [{ host: 'stream.example.test', url }] },
  });
  const ours = async (): Promise<unknown> =>
    (await engine.call('echo:download', { url: 'http://stream.example.test/' })).value;
  const bare = async (): Promise<number> => {
    const { body } = await request(url);
    let bytes = 0;
    for await (const piece of body) bytes += Buffer.byteLength(piece);
    return bytes;
  };
  try {
    if ((await ours()) !== BYTES) throw new Error('the plugin did not get the whole body');
    let [best, floor] = [0, 0];
    for (let round = 0; round < ROUNDS; round += 1) {
      floor = Math.max(floor, await megabytesPerSecond(bare));
      best = Math.max(best, await megabytesPerSecond(ours));
    }
    const ratio = best / floor;
    return {
      work: 'stream: 64 MB by fetch, against undici',
      unit: 'MB/s',
      ours: best,
      floor,
      ratio,
      goal: '≥ 0.5 × undici',
      met: ratio >= 0.5,
    };
  } finally {
    await engine.close();
    server.close();
  }
}

async function megabytesPerSecond(run: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await run();
  return BYTES / 1e6 / ((performance.now() - began) / 1000);
}
