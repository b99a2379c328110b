import type { Command } from 'commander';
import type { LockBook, LockState } from '../../index.js';
import type { RunCommand } from '../call.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { failureOf, usageError } from '../failure.js';
import type { CliPowers } from '../powers.js';
import { jsonLine, visible } from '../visible.js';
import { addLockOptions, type LockSettings, openBook } from './options.js';

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
    .description('find what is wrong with plugins; exits with 2 where anything is')
    .argument('[plugin-dir...]', 'directories of plugins')
    .option('--locked', 'compare with the lock file: what is there has to be what was accepted');
  addLockOptions(command).action((directories: string[], settings: CheckSettings) =>
    run((powers) => runCheck(directories, settings, powers)),
  );
}

async function runCheck(
  directories: readonly string[],
  settings: CheckSettings,
  powers: CliPowers,
): Promise<ExitCode> {
  const book = openBook(settings, powers);
  if (directories.length === 0) await demandLock(book, powers);
  const findings = [
    ...(await lookAt(book, directories, settings.locked ?? false)),
    ...(settings.locked === true || directories.length === 0 ? await drift(book) : []),
  ];
  if (settings.json === true) {
    await powers.stdout.write(jsonLine({ ok: findings.length === 0, findings }));
  } else {
    for (const { plugin, message } of findings) {
      await powers.stdout.write(`${visible(plugin)}: ${visible(message)}\n`);
    }
    if (findings.length === 0) await powers.stdout.write('nothing was found\n');
  }
  return findings.length === 0 ? EXIT.ok : EXIT.findings;
}

/** Without a lock file there is nothing to compare with, and "nothing was found" would be false. */
async function demandLock({ path }: LockBook, { readFile }: CliPowers): Promise<void> {
  await readFile(path).catch(() => {
    throw usageError(
      '--lock',
      `there is no lock file ${path}; bulkhead add <plugin-dir> begins one`,
    );
  });
}

async function lookAt(
  book: LockBook,
  directories: readonly string[],
  locked: boolean,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const directory of directories) {
    try {
      const { plugin, problems } = await book.examine(directory);
      findings.push(...problems.map((message) => ({ plugin: plugin.id, message })));
      if (locked && !Object.hasOwn(book.read().plugins, plugin.id)) {
        const message = `is not in ${book.path}: bulkhead add ${directory}`;
        findings.push({ plugin: plugin.id, message });
      }
    } catch (error) {
      findings.push({ plugin: directory, message: failureOf(error).message });
    }
  }
  return findings;
}

async function drift(book: LockBook): Promise<Finding[]> {
  return Object.entries(await book.check()).flatMap(([plugin, state]) =>
    state === 'as-accepted' ? [] : [{ plugin, message: SENTENCES[state] }],
  );
}

const SENTENCES: Readonly<Record<Exclude<LockState, 'as-accepted'>, string>> = {
  changed: 'is not what was accepted; see `bulkhead diff`, and accept it with `bulkhead update`',
  missing: 'has no directory any more; what was accepted runs from what was kept',
  broken: 'cannot be read or built any more; what was accepted runs from what was kept',
};
