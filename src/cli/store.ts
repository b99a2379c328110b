import type { Command } from 'commander';
import { dirname, resolve } from 'node:path';
import { visible } from '../visible.js';
import type { RunCommand } from './call.js';
import type { CliCapabilities } from './capabilities.js';
import { collect } from './arguments.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { openLock } from './lock/options.js';
import { print } from './output.js';

interface GcSettings {
  readonly lock?: readonly string[];
  readonly json?: boolean;
}

export function addStore(program: Command, run: RunCommand): void {
  const store = program.command('store').description('the packages that were fetched from npm');
  store
    .command('gc')
    .description('delete the fetched packages that no lock file names')
    .option(
      '--lock <FILE>',
      "a lock file whose packages stay, beside the user's; repeatable (default: bulkhead.lock.json)",
      collect,
    )
    .option('--json', 'print one line of JSON')
    .action((settings: GcSettings) => run((capabilities) => runGc(settings, capabilities)));
}

async function runGc(settings: GcSettings, capabilities: CliCapabilities): Promise<ExitCode> {
  const files = settings.lock ?? ['bulkhead.lock.json'];
  const locks = [
    openLock({ user: true }, capabilities),
    ...files.map((file) => openLock({ lock: file }, capabilities)),
  ];
  const kept = locks.flatMap((lock) =>
    Object.entries(lock.read().plugins).flatMap(([id, { previous = [] }]) => [
      resolve(lock.directoryOf(id)),
      // For a rollback.
      ...previous.flatMap(({ source }) =>
        source === undefined ? [] : [resolve(dirname(lock.path), source)],
      ),
    ]),
  );
  const removed = capabilities.packages.removeOthers(kept);
  await print(
    settings,
    capabilities,
    { ok: true, removed },
    removed.length === 0
      ? 'nothing to delete\n'
      : `${removed.map((path) => `deleted ${visible(path)}`).join('\n')}\n`,
  );
  return EXIT.ok;
}
