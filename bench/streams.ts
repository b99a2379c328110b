import { createServer, type Server } from 'node:http';
import { request } from 'undici';
import { compare, type Effort, type Measure } from './measure.js';
import { watchPeak } from './memory.js';
import { inTurns, time } from './statistics.js';
import { startEngine } from './subject.js';

const ROUNDS = 5;
const BYTES = 64 * 1024 * 1024;
/** Half of the body: more memory means that a part of it is buffered. */
const MOST_KB = BYTES / 1024 / 2;

/** A body of 64 MB from a loopback server: through the plugin's fetch, and by undici alone. */
export async function measureStreams({ share }: Effort): Promise<Measure[]> {
  const server = await serveBody();
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  let pid = 0;
  const engine = await startEngine(0, {
    grant: 'declared',
    network: { overrides: [{ host: 'stream.example.test', url }] },
    onEvent: (event) => {
      if (event.type === 'guest-started') pid = event.pid;
    },
  });
  const ours = async (): Promise<void> => {
    const { value } = await engine.call('echo:download', { url: 'http://stream.example.test/' });
    if (value !== BYTES) throw new Error('the plugin did not get the whole body');
  };
  const bare = async (): Promise<void> => {
    const { body } = await request(url);
    let bytes = 0;
    for await (const piece of body) bytes += Buffer.byteLength(piece);
    if (bytes !== BYTES) throw new Error('undici did not get the whole body');
  };
  try {
    for (const run of [ours, bare]) await time(2, run);
    const peaks = process.platform === 'linux' ? await measurePeaks(ours, pid) : [];
    const samples = await inTurns(ROUNDS, {
      bare: () => time(1, bare),
      ours: () => time(1, ours),
    });
    const took = compare(samples.ours, samples.bare, share);
    const asRate = (ms: number): number => BYTES / 1e6 / (ms / 1000);
    const ratio = 1 / took.ratio;
    return [
      {
        work: 'stream: 64 MB by fetch, against undici',
        unit: 'MB/s',
        ours: asRate(took.ours),
        floor: asRate(took.floor),
        ratio,
        goal: '≥ 0.5 × undici',
        met: ratio >= 0.5,
      },
      ...peaks,
    ];
  } finally {
    await engine.close();
    server.close();
  }
}

async function measurePeaks(run: () => Promise<void>, guest: number): Promise<Measure[]> {
  const [host, inside] = [watchPeak('self'), watchPeak(guest)];
  await run();
  const report = (side: string, peakKb: number): Measure => ({
    work: `stream: what ${side} grows by meanwhile`,
    unit: 'MB',
    ours: peakKb / 1024,
    goal: '≤ 32 MB: bounded',
    met: peakKb <= MOST_KB,
  });
  return [report('the host', host()), report('the guest', inside())];
}

async function serveBody(): Promise<Server> {
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
  return server;
}
