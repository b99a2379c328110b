import type { Command } from 'commander';
import type { LockState, Lockfile } from '../../engine/lockfile.js';
import type { LockedPlugin } from '../../lock/lock.js';
import { textFindings } from '../../lock/text-findings.js';
import { jsonLine, visible, shellWord } from '../../visible.js';
import type { RunCommand } from '../call.js';
import type { CliCapabilities } from '../capabilities.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { failureOf, usageError } from '../failure.js';
import { type LockSettings, addLockOptions, openLock } from './options.js';

interface CheckSettings extends LockSettings {
  readonly locked?: boolean;
}

interface Finding {
  readonly plugin: string;
  readonly message: string;
}

export function addCheck(program: Command, run: RunCommand): void {
  const command = program
    .command('check')
    .description('check plugins, and exit with 2 if a problem is found')
    .argument('[plugin-dir...]', 'directories of plugins')
    .option('--locked', 'also require that every plugin is as accepted in the lock file');
  addLockOptions(command).action((directories: string[], settings: CheckSettings) =>
    run((capabilities) => runCheck(directories, settings, capabilities)),
  );
}

async function runCheck(
  directories: readonly string[],
  settings: CheckSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const lockfile = openLock(settings, capabilities);
  // guard: lock-check-needs-lock-file
  if (directories.length === 0) await requireLockFile(lockfile, capabilities);
  const findings = [
    ...(await checkDirectories(lockfile, directories, settings.locked ?? false)),
    ...(settings.locked === true || directories.length === 0 ? await drift(lockfile) : []),
  ];
  if (settings.json === true) {
    await capabilities.stdout.write(jsonLine({ ok: findings.length === 0, findings }));
  } else {
    for (const { plugin, message } of findings) {
      await capabilities.stdout.write(`${visible(plugin)}: ${visible(message)}\n`);
    }
    if (findings.length === 0) await capabilities.stdout.write('no problem found\n');
  }
  return findings.length === 0 ? EXIT.ok : EXIT.findings;
}

/** A missing lock file is an error, because there is nothing to compare with. */
async function requireLockFile({ path }: Lockfile, { readFile }: CliCapabilities): Promise<void> {
  await readFile(path).catch(() => {
    throw usageError(
      '--lock',
      `the lock file ${path} does not exist; create it with bulkhead add <plugin-dir>`,
    );
  });
}

async function checkDirectories(
  lockfile: Lockfile,
  directories: readonly string[],
  locked: boolean,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const directory of directories) {
    try {
      const { plugin, problems, tools } = await lockfile.inspect(directory);
      findings.push(...problems.map((message) => ({ plugin: plugin.id, message })));
      const others = Object.entries(lockfile.read().plugins).filter(([id]) => id !== plugin.id);
      const texts = textFindings(tools, toolsOf(others));
      findings.push(...texts.map((message) => ({ plugin: plugin.id, message })));
      if ((await lockfile.packState(directory)) === 'stale') {
        findings.push({ plugin: plugin.id, message: STALE(directory) });
      }
      if (locked && !Object.hasOwn(lockfile.read().plugins, plugin.id)) {
        const message = `is not in ${lockfile.path}; add it with bulkhead add ${shellWord(directory)}`;
        findings.push({ plugin: plugin.id, message });
      }
    } catch (error) {
      findings.push({ plugin: directory, message: failureOf(error).message });
    }
  }
  return findings;
}

const STALE = (directory: string): string =>
  `its pack is older than its sources, and \`add\` uses the pack; write it again with bulkhead pack ${shellWord(directory)}`;

/** The tools of accepted plugins. */
function toolsOf(
  plugins: readonly (readonly [string, LockedPlugin])[],
): readonly { readonly plugin: string; readonly tool: string }[] {
  return plugins.flatMap(([plugin, { tools }]) =>
    Object.keys(tools).map((tool) => ({ plugin, tool })),
  );
}

async function drift(lockfile: Lockfile): Promise<Finding[]> {
  return Object.entries(await lockfile.check()).flatMap(([plugin, state]) =>
    state === 'as-accepted' ? [] : [{ plugin, message: SENTENCES[state] }],
  );
}

const SENTENCES: Readonly<Record<Exclude<LockState, 'as-accepted'>, string>> = {
  changed:
    'changed since it was accepted; review it with `bulkhead diff`, then accept it with `bulkhead update`',
  missing: 'has lost its directory; the stored accepted version still runs',
  broken: 'cannot be read or built; the stored accepted version still runs',
};
