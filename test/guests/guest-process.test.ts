import { describe, expect, it } from 'vitest';
import { startGuestProcess } from '../../src/guests/guest-process.js';

describe('a guest process', () => {
  it('is killed if it does not read, before it fills the memory of its host', async () => {
    const script = 'setInterval(() => {}, 1000)';
    const guest = startGuestProcess({
      command: { file: process.execPath, args: ['-e', script], env: {} },
      receive: () => {},
      serveSync: () => Promise.resolve({ value: null }),
      onEnd: () => {},
    });
    // The same bytes each time: what waits is counted, and takes no memory of this test.
    const bytes = new Uint8Array(8 * 1024 * 1024);
    let told = 0;
    while (guest.end === undefined && told < 100) {
      guest.write(bytes);
      told += 1;
    }
    expect(told * bytes.length).toBe(200 * 1024 * 1024);
    expect((await guest.ended).detail).toBe('it does not read its messages');
    expect(guest.end?.cause).toBe('protocol');
  });

  it('is read to its end after it has exited, although the host reads slowly', async () => {
    const script = `const { writeSync } = require('node:fs');
      for (let message = 0; message < 4; message += 1) writeSync(3, Buffer.alloc(40_000, 'x'));
      process.exitCode = 7;`;
    let read = 0;
    let readAtEnd: number | undefined;
    let sawItExited = false;
    const guest = startGuestProcess({
      command: { file: process.execPath, args: ['-e', script], env: {} },
      receive: (bytes) => {
        read += bytes.length;
        sawItExited ||= guest.hasExited && guest.end === undefined;
        // A host at work: the throttle does not read for as long again.
        const untilMs = performance.now() + 60;
        while (performance.now() < untilMs);
      },
      serveSync: () => Promise.resolve({ value: null }),
      onEnd: () => {
        readAtEnd = read;
      },
    });
    expect((await guest.ended).detail).toBe('it exited with code 7');
    expect(readAtEnd).toBe(160_000);
    expect(sawItExited).toBe(true);
  });

  it('that leaves its pipe to a process of its own ends all the same', async () => {
    // The shell ends, and its child keeps the pipe.
    const script = 'sleep 5 <&- >&- 2>&- 5>&- & exit 6';
    const guest = startGuestProcess({
      command: { file: '/bin/sh', args: ['-c', script], env: { PATH: '/usr/bin:/bin' } },
      receive: () => {},
      serveSync: () => Promise.resolve({ value: null }),
      onEnd: () => {},
    });
    const startedMs = performance.now();
    expect((await guest.ended).detail).toBe('it exited with code 6');
    expect(performance.now() - startedMs).toBeLessThan(4_000);
  });

  it('that closes its pipe and stays is killed, and what it wrote before says why', async () => {
    const endOf = async (script: string): Promise<unknown> =>
      await startGuestProcess({
        command: { file: '/bin/sh', args: ['-c', script], env: { PATH: '/usr/bin:/bin' } },
        receive: () => {},
        serveSync: () => Promise.resolve({ value: null }),
        onEnd: () => {},
      }).ended;
    const startedMs = performance.now();
    expect(await endOf('exec 3>&-; sleep 20')).toEqual({
      cause: 'crash',
      detail: 'it closed its pipe',
    });
    // V8 writes this, and the process may take long to exit.
    const written = 'echo "JavaScript heap out of memory" >&2; exec 3>&-; sleep 20';
    expect(await endOf(written)).toMatchObject({ cause: 'memory' });
    expect(performance.now() - startedMs).toBeLessThan(15_000);
  });
});
