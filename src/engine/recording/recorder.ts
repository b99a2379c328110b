import { isRecord } from '../../../sandbox/wire/json.js';
import type { TapeContent } from '../../../sandbox/wire/methods.js';
import type { WireTap } from '../../guests/guest.js';
import type { Frame } from '../types/recording.js';
import { makeFrameLog } from './frames.js';
import { RECORDING_LIMITS } from './recording.js';

/** Records a guest's wire from its `load` request on. */
export interface Recorder {
  readonly line: WireTap;
  /** Returns a copy of the recording so far. */
  taken(): Recorded;
}

export interface Recorded {
  readonly tape: TapeContent;
  readonly frames: readonly Frame[];
  readonly complete: boolean;
}

export function makeRecorder(): Recorder {
  let frames: Frame[] = [];
  let turns: number[] = [];
  let times: number[] = [];
  let entropy: string[] = [];
  let answers: string[] = [];
  let asked = new Set<number>();
  let characters = 0;
  let began = false;
  let complete = true;

  const append = (frame: Frame): void => {
    if (!complete) return;
    characters += 'bytes' in frame ? frame.bytes.length : JSON.stringify(frame.message).length;
    if (characters > RECORDING_LIMITS.maxRecordingCharacters) complete = false;
    else frames.push(frame);
  };

  const note = (frame: Frame): void => {
    const message = 'message' in frame ? frame.message : undefined;
    if (frame.by === 'host') {
      if (message?.t === 'request') {
        began ||= message.m === 'load';
        if (began) asked.add(message.i);
      }
      if (began) append(frame);
    } else if (began) {
      if (message?.t === 'notice' && message.m === 'tape') wind(message.p);
      // Messages from before the `load` request are not recorded.
      else if (message?.t === 'notice' && message.m === 'ready') return;
      else if ((message?.t === 'reply' || message?.t === 'failure') && !asked.has(message.i))
        return;
      else append(frame);
    }
  };

  /** Appends the guest's tape. It is untrusted, but only the replay of this call depends on it. */
  const wind = (content: unknown): void => {
    if (!isRecord(content) || content['lost'] === true) complete = false;
    if (!isRecord(content)) return;
    turns.push(...numbersOf(content['turns']));
    times.push(...numbersOf(content['times']));
    entropy.push(...textsOf(content['entropy']));
    const told = textsOf(content['answers']);
    answers.push(...told);
    characters += told.reduce((sum, text) => sum + text.length, 0);
    const entries = turns.length + times.length / 2 + entropy.length + answers.length;
    if (characters > RECORDING_LIMITS.maxRecordingCharacters) complete = false;
    if (entries <= RECORDING_LIMITS.maxTapeEntries + 1) return;
    complete = false;
    turns = [];
    times = [];
    entropy = [];
    answers = [];
  };

  let host = makeFrameLog('host', note);
  let guest = makeFrameLog('guest', note);

  return {
    line: {
      open: () => {
        // A second guest replaces a first one that failed, so the recording starts again.
        [frames, turns, times, entropy, answers, asked] = [[], [], [], [], [], new Set()];
        [characters, began] = [0, false];
        host = makeFrameLog('host', note);
        guest = makeFrameLog('guest', note);
      },
      toGuest: (bytes) => host(bytes),
      fromGuest: (bytes) => {
        try {
          guest(bytes);
        } catch {
          // The guest violated the protocol. The peer reports it.
          complete = false;
        }
        return true;
      },
    },
    taken: () => ({
      tape: {
        turns: [...turns],
        times: [...times],
        ...(entropy.length > 0 ? { entropy: [...entropy] } : {}),
        ...(answers.length === 0 ? {} : { answers: [...answers] }),
      },
      frames: [...frames],
      complete,
    }),
  };
}

function textsOf(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}

function numbersOf(list: unknown): number[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'number') : [];
}
