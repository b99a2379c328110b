import { describe, expect, it } from 'vitest';
import type { Json, Message } from '../../../sandbox/wire/messages.js';
import { sayFrame } from '../../../src/engine/recording/frames.js';
import { makeRecorder, type Recorder } from '../../../src/engine/recording/recorder.js';
import { RECORDING_LIMITS } from '../../../src/engine/recording/recording.js';

function hear(recorder: Recorder, message: Message): void {
  sayFrame({ by: 'guest', message }, (bytes) => recorder.line.fromGuest(bytes));
}

function begin(): Recorder {
  const recorder = makeRecorder();
  recorder.line.open(() => {});
  sayFrame(
    { by: 'host', message: { t: 'request', i: 4, m: 'load', p: {} } },
    recorder.line.toGuest,
  );
  return recorder;
}

describe('a recorder', () => {
  it('begins with what is loaded, and leaves out what the guest was asked before', () => {
    const recorder = begin();
    hear(recorder, { t: 'reply', i: 3, v: null });
    hear(recorder, { t: 'notice', m: 'ready', p: {} });
    hear(recorder, { t: 'reply', i: 4, v: null });
    expect(recorder.taken().frames).toMatchObject([
      { by: 'host', message: { m: 'load' } },
      { by: 'guest', message: { t: 'reply', i: 4 } },
    ]);
  });

  it('stores the tape separately, in order of arrival', () => {
    const recorder = begin();
    hear(recorder, { t: 'notice', m: 'tape', p: { turns: [0], times: [5, 1] } });
    hear(recorder, { t: 'notice', m: 'tape', p: { turns: [3], times: [6, 2] } });
    expect(recorder.taken()).toMatchObject({
      complete: true,
      tape: { turns: [0, 3], times: [5, 1, 6, 2] },
    });
    expect(recorder.taken().frames).toHaveLength(1);
  });

  it.each([
    ['says itself that it lost something', { turns: [], times: [], lost: true }],
    ['is no tape', 7],
    ['is longer than one may be', { turns: Array(RECORDING_LIMITS.maxTapeEntries + 2).fill(0) }],
  ])('takes a tape for cut that %s', (_, p) => {
    const recorder = begin();
    hear(recorder, { t: 'notice', m: 'tape', p: p as Json });
    expect(recorder.taken()).toMatchObject({ complete: false });
  });

  it('stops at its maximum size, and the call continues', () => {
    const recorder = begin();
    const text = 'x'.repeat(4 * 1024 * 1024);
    for (let said = 0; said <= RECORDING_LIMITS.maxRecordingCharacters; said += text.length) {
      hear(recorder, { t: 'notice', m: 'log', p: { text } });
    }
    expect(recorder.taken().complete).toBe(false);
  });

  it('leaves what breaks the protocol to the peer', () => {
    const recorder = begin();
    expect(recorder.line.fromGuest(new Uint8Array([1, 0, 0, 0, 9, 1]))).toBe(true);
    expect(recorder.taken().complete).toBe(false);
  });
});
