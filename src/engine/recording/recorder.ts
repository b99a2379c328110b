import { isRecord } from '../../../sandbox/wire/parse.js';
import type { TapeContent } from '../../../sandbox/wire/tape.js';
import type { Line } from '../../guests/line.js';
import { type Frame, makeFrameLog } from './frames.js';
import { RECORD_LIMITS } from './limits.js';

/** Listens to a guest's line from the moment when it is told what to load. */
export interface Recorder {
  readonly line: Line;
  /** What was said up to now. */
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
  let asked = new Set<number>();
  let characters = 0;
  let began = false;
  let complete = true;

  const keep = (frame: Frame): void => {
    if (!complete) return;
    characters += 'bytes' in frame ? frame.bytes.length : JSON.stringify(frame.message).length;
    if (characters > RECORD_LIMITS.maxRecordCharacters) complete = false;
    else frames.push(frame);
  };

  const note = (frame: Frame): void => {
    const message = 'message' in frame ? frame.message : undefined;
    if (frame.by === 'host') {
      if (message?.t === 'request') {
        began ||= message.m === 'load';
        if (began) asked.add(message.i);
      }
      if (began) keep(frame);
    } else if (began) {
      if (message?.t === 'notice' && message.m === 'tape') wind(message.p);
      // What it said and was asked before it was anybody's guest is of no interest.
      else if (message?.t === 'notice' && message.m === 'ready') return;
      else if ((message?.t === 'reply' || message?.t === 'failure') && !asked.has(message.i))
        return;
      else keep(frame);
    }
  };

  /** The guest's own words: whatever they are, only its own replay depends on them. */
  const wind = (content: unknown): void => {
    if (!isRecord(content) || content['lost'] === true) complete = false;
    if (!isRecord(content)) return;
    turns.push(...numbersOf(content['turns']));
    times.push(...numbersOf(content['times']));
    const entries = turns.length + times.length / 2;
    if (entries <= RECORD_LIMITS.maxTapeEntries + 1) return;
    complete = false;
    turns = [];
    times = [];
  };

  let host = makeFrameLog('host', note);
  let guest = makeFrameLog('guest', note);

  return {
    line: {
      open: () => {
        // A second guest is there for the first, which was of no use.
        [frames, turns, times, asked] = [[], [], [], new Set()];
        [characters, began] = [0, false];
        host = makeFrameLog('host', note);
        guest = makeFrameLog('guest', note);
      },
      said: (bytes) => host(bytes),
      heard: (bytes) => {
        try {
          guest(bytes);
        } catch {
          // It broke the protocol, and the peer will say so.
          complete = false;
        }
        return true;
      },
    },
    taken: () => ({
      tape: { turns: [...turns], times: [...times] },
      frames: [...frames],
      complete,
    }),
  };
}

function numbersOf(list: unknown): number[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'number') : [];
}
