/** One way to isolate code, with all of its costs, on the same work in one run. */
export interface Comparison {
  /** With the version, unless it is ours. */
  readonly name: string;
  /** The Node that it ran on. */
  readonly node: string;
  readonly isolation: string;
  readonly ownProcess: boolean;
  readonly isFloor: boolean;
  readonly figures?: Figures;
  /** Why there are no figures. */
  readonly missing?: string;
}

export interface Figures {
  /** Milliseconds from nothing to the first result. */
  readonly coldMs: number;
  readonly smallMicros: number;
  readonly smallP99Micros: number;
  readonly bigMicros: number;
  /** Calls a second with 100 of them under way. */
  readonly perSecond: number;
  /** Private_Dirty of one more, in kB; absent if the system does not report it. */
  readonly memoryKb?: number;
  /** Time for fib(27) and for 10⁶ × `Math.floor`, against the same function in no sandbox. */
  readonly fibTimes: number;
  readonly floorsTimes: number;
}
