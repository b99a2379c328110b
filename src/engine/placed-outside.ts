import type { Format } from '../formats/format.js';
import type { RunOutside } from '../plugin/outside.js';

/** What is the same of a tool wherever it runs. */
export interface PlacedAnywhere {
  /** Hash of what runs. */
  readonly bundle: string;
  /** Aborted when the tool goes because a permission was taken from its plugin. */
  readonly revoked: AbortSignal;
  /** Of its plugin. */
  readonly version: string | undefined;
  /** How its results are read and its faults are worded, where its plugin is of a format. */
  readonly format?: Format;
  /** Calls under way in its plugin. */
  readonly load: { underWay: number };
}

/** A tool that is not in a guest. */
export interface PlacedOutside extends PlacedAnywhere {
  readonly room?: undefined;
  readonly run: RunOutside;
}
