/** A duration as a person reads it: `12.5 ms`, `12.5 s`. */
export function ms(duration: number): string {
  return duration >= 10_000 ? `${(duration / 1_000).toFixed(1)} s` : `${duration.toFixed(1)} ms`;
}
