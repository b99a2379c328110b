import { checkPlugin, type PluginCheck } from '../../check/check-plugin.js';
import type { CheckFinding } from '../../check/finding.js';
import type { CliCapabilities } from '../capabilities.js';
import { describeFinding } from '../lock/describe-checks.js';
import { LOCK_FILE } from '../lock/options.js';
import { makePaint } from '../output.js';
import { silentLogger } from '../engine-options.js';

/** Checks a plugin after each reload, as `bulkhead check` does. */
export interface LiveCheck {
  /** Checks in the background, and shows the errors and warnings that are new. */
  run(): void;
  /** Waits for the check that runs. */
  close(): Promise<void>;
}

/** The engine itself reports these, at once. */
const REPORTED: ReadonlySet<string> = new Set(['build', 'load', 'inactive']);

export function makeLiveCheck(
  directory: string,
  capabilities: Pick<
    CliCapabilities,
    'openLockfile' | 'suggestPermissions' | 'stdout' | 'readFile' | 'environment'
  >,
): LiveCheck {
  const { openLockfile, suggestPermissions, stdout, readFile, environment } = capabilities;
  const paint = makePaint(stdout.colour);
  let shown: ReadonlySet<string> = new Set();
  let running: Promise<void> | undefined;
  let again = false;

  const show = async (check: PluginCheck): Promise<void> => {
    const found = check.findings.filter(
      ({ rule, level }) => level !== 'note' && !REPORTED.has(rule),
    );
    const fresh = found.filter((one) => !shown.has(keyOf(one)));
    shown = new Set(found.map(keyOf));
    for (const finding of fresh) {
      const lines = await describeFinding(finding, check, paint, readFile);
      await stdout.write(`${lines.join('\n')}\n`);
    }
  };
  const check = async (): Promise<void> => {
    const lockfile = openLockfile(LOCK_FILE, {
      plugins: [],
      env: environment,
      limits: { pool: 0 },
      logger: silentLogger,
    });
    const inspect = (path: string) => lockfile.inspect(path);
    // The engine reports a directory without a plugin.
    const checked = await checkPlugin(directory, { inspect, suggest: suggestPermissions }).catch(
      () => undefined,
    );
    if (checked !== undefined) await show(checked);
  };
  const start = (): void => {
    again = false;
    running = check().finally(() => {
      running = undefined;
      if (again) start();
    });
  };
  return {
    run: () => {
      if (running === undefined) start();
      else again = true;
    },
    close: async () => {
      again = false;
      await running;
    },
  };
}

function keyOf({ rule, message, file }: CheckFinding): string {
  return `${rule} ${file ?? ''} ${message}`;
}
