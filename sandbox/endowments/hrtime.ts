/** Node's `process.hrtime`, from a reading in milliseconds. */
export interface Hrtime {
  (before?: readonly [number, number]): [seconds: number, nanoseconds: number];
  bigint(): bigint;
}

export function makeHrtime(read: () => number): Hrtime {
  const hrtime = (before?: readonly [number, number]): [number, number] => {
    const time = read();
    const seconds = Math.floor(time / 1000) - (before?.[0] ?? 0);
    const nanoseconds = Math.floor((time % 1000) * 1e6) - (before?.[1] ?? 0);
    return nanoseconds < 0 ? [seconds - 1, nanoseconds + 1e9] : [seconds, nanoseconds];
  };
  return Object.assign(hrtime, { bigint: (): bigint => BigInt(Math.floor(read() * 1e6)) });
}
