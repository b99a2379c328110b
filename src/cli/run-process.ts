import { EXIT } from './exit-codes.js';
import { failureOf } from './failure.js';
import { reportFailure } from './report-failure.js';
import { runCli } from './run.js';
import { systemCapabilities } from './system-capabilities.js';

/** Runs the command line of this process, and exits. */
export async function runProcess(version: string): Promise<never> {
  const { argv } = process;
  const interruption = new AbortController();
  process.once('SIGINT', () => interruption.abort());
  process.once('SIGTERM', () => interruption.abort());
  const capabilities = systemCapabilities(interruption.signal, version);
  const reportAndExit = (error: unknown): void => {
    const json = argv.includes('--json');
    void reportFailure(failureOf(error), { json, durationMs: 0 }, capabilities).finally(() =>
      process.exit(EXIT.fault),
    );
  };
  // No plugin may cause this. If one does, the command reports a fault.
  process.once('uncaughtException', reportAndExit);
  process.once('unhandledRejection', reportAndExit);
  // All output is written by now; an explicit exit ends everything that still runs.
  process.exit(await runCli(argv.slice(2), version, capabilities));
}
