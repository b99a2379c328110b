import type { CryptoCapability } from './endowments/endowment.js';
import { NODE_UNIT, type UnitFacts } from './wire/units.js';

/** Finds the unit whose code runs, by the frames of a stack. */
export interface UnitFrames {
  /** The last line of a text after that many lines of the bundle: see `makeStackMapper`. */
  nameAfter(lines: number): string;
  /** The path of the unit that is nearest in the stack. The stand-ins that units share are none. */
  nearest(): string | undefined;
  /**
   * The unit whose code assigns now: that of the nearest frame, or `undefined` if that frame is of no unit. Called from
   * a setter of `ExportGuard`.
   */
  writer(): string | undefined;
}

interface FrameCapabilities {
  readonly crypto: CryptoCapability;
  readonly getStackString: (error: Error) => string;
}

/** Frames between an assignment and the error of `writer`: two methods, `writer`, `mayWrite` and the setter. */
const OWN_FRAMES = 5;

const HEXADECIMAL = 16;

export function makeUnitFrames(
  units: readonly UnitFacts[],
  sourceUrl: string,
  capabilities: FrameCapabilities,
): UnitFrames {
  // Marks the names of the units in stacks. Code that does not know it cannot forge such a name.
  const mark = makeMark(capabilities);

  const frames = (): readonly string[] => {
    const stack = capabilities.getStackString(new Error());
    return stack.split('\n').filter((line) => /^\s*at /.test(line));
  };

  /** The unit that has the line of a frame. */
  const unitAt = (frame: string | undefined): string | undefined => {
    const at = frame?.indexOf(`${mark}+`) ?? -1;
    if (frame === undefined || at < 0) return undefined;
    const place = frame.slice(at + mark.length);
    const name = `/${sourceUrl}:`;
    const line = /^\d+/.exec(place.slice(place.indexOf(name) + name.length))?.[0];
    const inBundle = Number(/^\+(\d+)/.exec(place)?.[1]) + Number(line);
    return units.findLast(({ lines }) => lines < inBundle)?.path;
  };

  return {
    nameAfter: (lines) => `//# sourceURL=${mark}+${lines}/${sourceUrl}`,
    nearest: () => {
      for (const frame of frames()) {
        const path = unitAt(frame);
        if (path !== undefined && path !== NODE_UNIT) return path;
      }
      return undefined;
    },
    writer: () => {
      // The nearest frames are of this file and of the setter; a built-in such as `Object.assign` has no place.
      const others = frames().slice(OWN_FRAMES);
      return unitAt(others.find((frame) => !frame.endsWith('(<anonymous>)')));
    },
  };
}

function makeMark({ crypto }: FrameCapabilities): string {
  const bytes = new Uint8Array(16);
  crypto.fillRandom(bytes);
  return `u${[...bytes].map((byte) => byte.toString(HEXADECIMAL).padStart(2, '0')).join('')}`;
}
