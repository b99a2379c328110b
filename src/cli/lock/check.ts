import { type Command, Option } from 'commander';
import { checkPlugin, type PluginCheck } from '../../check/check-plugin.js';
import type { CheckFinding, CheckLevel } from '../../check/finding.js';
import { renderCheckSarif } from '../../check/sarif.js';
import type { LockState, Lockfile } from '../../engine/lockfile.js';
import { diskReader } from '../../engine/node/disk-reader.js';
import { isBulkheadError } from '../../errors.js';
import { readPlugin } from '../../formats/discover.js';
import type { LockedPlugin } from '../../lock/lock.js';
import { textFindings } from '../../lock/text-findings.js';
import { jsonLine, shellWord } from '../../visible.js';
import type { RunCommand } from '../call.js';
import { addMemoryOption } from '../memory-option.js';
import type { CliCapabilities } from '../capabilities.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { failureOf } from '../failure.js';
import { scorecardOf } from '../../check/scorecard.js';
import { describeChecks } from './describe-checks.js';
import { type LockSettings, addLockOptions, openLock, requireLockFile } from './options.js';

interface CheckSettings extends LockSettings {
  readonly locked?: boolean;
  readonly failOn: CheckLevel;
  readonly sarif?: string;
}

const LEVELS: readonly CheckLevel[] = ['error', 'warning', 'note'];

export function addCheck(program: Command, run: RunCommand): void {
  const command = program
    .command('check')
    .description('check plugins without calling their tools, and exit with 2 if a problem is found')
    .argument('[plugin-dir...]', 'directories of plugins')
    .option('--locked', 'also require that every plugin is as accepted in the lock file')
    .addOption(
      new Option('--fail-on <LEVEL>', 'the least level of a finding that exits with 2')
        .choices(LEVELS)
        .default('warning'),
    )
    .option('--sarif <FILE>', 'also write the findings as SARIF 2.1.0')
    .addHelpText('after', EXAMPLES);
  addLockOptions(addMemoryOption(command, 'any')).action(
    (directories: string[], settings: CheckSettings) =>
      run((capabilities) => runCheck(directories, settings, capabilities)),
  );
}

const EXAMPLES = `
Examples:
  bulkhead check                                check the plugin in this directory, or all of its lock file
  bulkhead check . --fail-on error --json       for a script: only errors fail
  bulkhead check . --sarif bulkhead.sarif       for code scanning
  bulkhead check --locked                       compare all plugins with the lock file
`;

async function runCheck(
  named: readonly string[],
  settings: CheckSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const lockfile = openLock(settings, capabilities);
  const isHere = named.length === 0 && (await meansThisDirectory(settings, lockfile, capabilities));
  const directories = isHere ? ['.'] : named;
  // guard: lock-check-needs-lock-file
  if (directories.length === 0) await requireLockFile(lockfile, capabilities);
  const checks = [
    ...(await checkDirectories(lockfile, directories, settings.locked ?? false, capabilities)),
    ...(settings.locked === true || directories.length === 0 ? await drift(lockfile) : []),
  ];
  const failing = LEVELS.slice(0, LEVELS.indexOf(settings.failOn) + 1);
  const isFailed = checks.some(({ findings }) =>
    findings.some(({ level }) => failing.includes(level)),
  );
  if (settings.sarif !== undefined) {
    const base = await capabilities.realPath('.');
    const text = renderCheckSarif(checks, { version: capabilities.version, base });
    await capabilities.writeFile(settings.sarif, text);
  }
  if (settings.json === true) {
    const findings = checks.flatMap((check) =>
      check.findings.map((finding) => ({ plugin: check.plugin ?? check.directory, ...finding })),
    );
    const plugins = checks.flatMap((check) => {
      const { plugin, directory, tools } = check;
      return plugin === undefined
        ? []
        : [{ plugin, directory, tools, scorecard: scorecardOf(check) }];
    });
    await capabilities.stdout.write(jsonLine({ ok: !isFailed, findings, plugins }));
  } else await capabilities.stdout.write(await describeChecks(checks, capabilities));
  return isFailed ? EXIT.findings : EXIT.ok;
}

/** An author who names no plugin means the one around, if there is no lock file that could be meant. */
async function meansThisDirectory(
  { lock, locked, user }: CheckSettings,
  { path }: Pick<Lockfile, 'path'>,
  { readFile }: Pick<CliCapabilities, 'readFile'>,
): Promise<boolean> {
  if (lock !== undefined || locked === true || user === true) return false;
  const hasLock = await readFile(path).then(
    () => true,
    () => false,
  );
  if (hasLock) return false;
  return readPlugin(diskReader, '.').then(
    () => true,
    (error: unknown) => !isBulkheadError(error, 'PLUGIN_NOT_FOUND'),
  );
}

async function checkDirectories(
  lockfile: Lockfile,
  directories: readonly string[],
  locked: boolean,
  { suggestPermissions }: Pick<CliCapabilities, 'suggestPermissions'>,
): Promise<PluginCheck[]> {
  const checks: PluginCheck[] = [];
  for (const directory of directories) {
    try {
      const check = await checkPlugin(directory, {
        inspect: (path) => lockfile.inspect(path),
        suggest: suggestPermissions,
      });
      checks.push({
        ...check,
        findings: [...check.findings, ...(await lockFindings(lockfile, check, locked))],
      });
    } catch (error) {
      const { code, message } = failureOf(error);
      const rule = code === 'PLUGIN_NOT_FOUND' ? 'manifest' : 'load';
      checks.push({ directory, findings: [{ rule, level: 'error', message }], tools: [] });
    }
  }
  return checks;
}

/** What the lock file and the pack say about a checked plugin. */
async function lockFindings(
  lockfile: Lockfile,
  { plugin, directory, inspected }: PluginCheck,
  locked: boolean,
): Promise<readonly CheckFinding[]> {
  if (plugin === undefined || inspected === undefined) return [];
  const { plugins } = lockfile.read();
  const findings: CheckFinding[] = [];
  const others = Object.entries(plugins).filter(([id]) => id !== plugin);
  for (const message of textFindings(inspected.tools, toolsOf(others))) {
    findings.push({ rule: 'tool-text', level: 'warning', message });
  }
  if ((await lockfile.packState(directory)) === 'stale') {
    findings.push({ rule: 'pack', level: 'warning', message: STALE(directory) });
  }
  if (locked && !Object.hasOwn(plugins, plugin)) {
    const message = `The plugin is not in ${lockfile.path}. Add it: bulkhead add ${shellWord(directory)}`;
    findings.push({ rule: 'lock', level: 'error', message });
  }
  return findings;
}

const STALE = (directory: string): string =>
  `The pack is older than its sources, and \`add\` uses the pack. Write it again: bulkhead pack ${shellWord(directory)}`;

/** The tools of accepted plugins. */
function toolsOf(
  plugins: readonly (readonly [string, LockedPlugin])[],
): readonly { readonly plugin: string; readonly tool: string }[] {
  return plugins.flatMap(([plugin, { tools }]) =>
    Object.keys(tools).map((tool) => ({ plugin, tool })),
  );
}

async function drift(lockfile: Lockfile): Promise<PluginCheck[]> {
  return Object.entries(await lockfile.check()).flatMap(([plugin, state]) => {
    if (state === 'as-accepted') return [];
    const finding: CheckFinding = { rule: 'lock', level: 'error', message: SENTENCES[state] };
    return [{ plugin, directory: lockfile.directoryOf(plugin), findings: [finding], tools: [] }];
  });
}

const SENTENCES: Readonly<Record<Exclude<LockState, 'as-accepted'>, string>> = {
  changed:
    'The plugin changed since it was accepted; review it with `bulkhead diff`, then accept it with `bulkhead update`',
  missing: 'The plugin has lost its directory; the stored accepted version still runs',
  broken: 'The plugin cannot be read or built; the stored accepted version still runs',
};
