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
});
