/** Runs the calls of gateways in guests of its own. */
export interface Runner extends AsyncDisposable {
  readonly name: string;
  readonly callsUnderWay: number;
  /** Calls that run at once. */
  readonly maxCalls: number;
  /** `leaving`: it finishes its calls and ends. `deaf`: it hears no gateway, so it takes no calls. */
  readonly state: 'ready' | 'deaf' | 'leaving';
  /** The plugins of the lock file that do not run here, and why. */
  problems(): readonly RunnerProblem[];
  /** Reads the lock file again, fetches what is new, and stops what is not in it any more. */
  reload(): Promise<void>;
  /** Takes no more calls, finishes the running ones within the time (default: 30,000 ms), and closes. */
  drain(timeoutMs?: number): Promise<void>;
  /** Ends its guests. Running calls end. */
  close(): Promise<void>;
}

export interface RunnerProblem {
  readonly plugin: string;
  readonly message: string;
}
