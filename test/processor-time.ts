/**
 * Milliseconds of processor time that some work took: unlike the time that passed, it is much the
 * same however busy the machine is.
 */
export function processorMs(work: () => unknown): number {
  const began = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1_000;
}
