import { expect, it } from 'vitest';
import { makeGuestWire } from '../../src/guests/guest-wire.js';
import { HEADER_BYTES, MESSAGE_FRAME, writeHeader } from '../../sandbox/wire/framing.js';

function frameOf(message: object): Uint8Array {
  const body = Buffer.from(JSON.stringify(message), 'utf8');
  const frame = Buffer.alloc(HEADER_BYTES + body.length);
  writeHeader(frame, 0, body.length, MESSAGE_FRAME);
  frame.set(body, HEADER_BYTES);
  return frame;
}

const ENDING = frameOf({ t: 'notice', m: 'ending', p: {} });

it('a notice of a guest does not resume the process that it shares with others', () => {
  const seen: string[] = [];
  const spec = {
    write: () => {},
    kill: () => void seen.push('kill'),
    beforeRequest: () => {},
    resume: () => void seen.push('resume'),
  };
  makeGuestWire(spec).peer.receive(ENDING);
  expect(seen).toEqual([]);
  makeGuestWire({ ...spec, onEnding: () => void seen.push('ending') }).peer.receive(ENDING);
  expect(seen).toEqual(['ending']);
});
