import type { Command } from 'commander';
import { join } from 'node:path';
import { packPlugin } from '../engine/pack.js';
import { isRecord } from '../../sandbox/wire/json.js';
import { shellWord, visible } from '../visible.js';
import { collect } from './arguments.js';
import type { RunCommand } from './call.js';
import type { CliCapabilities } from './capabilities.js';
import { makePluginLog } from './engine-options.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { print } from './output.js';
import {
  addPackageBuildOptions,
  type PackageBuildSettings,
  packagesOption,
} from './package-options.js';

interface PackSettings extends PackageBuildSettings {
  readonly sign?: string;
  readonly out?: string;
  readonly include?: readonly string[];
  readonly sbom?: string;
  readonly json?: boolean;
}

export function addPack(program: Command, run: RunCommand): void {
  const command = program
    .command('pack')
    .description('build a plugin into its artifact: the bytes that run when it is added')
    .argument('<plugin-dir>', 'directory of the plugin')
    .option('--sign <KEY>', 'sign the artifact with this private key (bulkhead keys new sign)')
    .option(
      '--out <FILE>',
      'the file of the artifact (default: bulkhead.artifact in the directory)',
    )
    .option(
      '--include <FILE>',
      'pack this file although it looks like a secret; repeatable',
      collect,
    )
    .option('--sbom <FILE>', 'also write the list of all that is inside to this file (CycloneDX)')
    .option('--json', 'print one line of JSON');
  addPackageBuildOptions(command).action((directory: string, settings: PackSettings) =>
    run((capabilities) => runPack(directory, settings, capabilities)),
  );
}

async function runPack(
  directory: string,
  { sign, out, include = [], sbom, json, ...settings }: PackSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const { inspected, contents, file, envelopeFile, signer } = await packPlugin(
    directory,
    {
      include,
      ...(sign === undefined ? {} : { signKey: sign }),
      ...(out === undefined ? {} : { out }),
    },
    {
      plugins: [],
      env: capabilities.environment,
      ...packagesOption(settings, false),
      limits: { pool: 0 },
      logger: makePluginLog(capabilities.stderr),
    },
  );
  const { plugin, artifact, problems } = inspected;
  for (const problem of problems) {
    await capabilities.stderr.write(`problem: ${visible(problem)}\n`);
  }
  if (sbom !== undefined) await capabilities.replaceText(sbom, `${artifact.sbom}\n`);
  const builds = Object.keys(artifact.bundles);
  const lines = [
    `packed ${visible(plugin.id)}${plugin.version === undefined ? '' : ` ${visible(plugin.version)}`}`,
    `  artifact   ${visible(file)}`,
    `  hash       ${artifact.hash}`,
    `  builds     ${builds.map(visible).join(', ')}`,
    ...contents.files.map((name) => `  file       ${visible(name)}`),
    ...contents.packages.map((name) => `  package    ${visible(name)}`),
    ...(contents.packages.length === 0 || inspected.packages !== undefined
      ? []
      : [
          '  packages   as one bundle, with all that the plugin may do; to separate them, add --packages separate',
        ]),
    ...(sbom === undefined ? [] : [`  SBOM       ${visible(sbom)}`]),
    ...(envelopeFile === undefined
      ? ['  signature  none; sign it with --sign KEY']
      : [`  signature  ${visible(envelopeFile)}`, `  signer     ${signer}`]),
  ];
  await print(
    { json },
    capabilities,
    {
      ok: true,
      id: plugin.id,
      version: plugin.version ?? null,
      file,
      hash: artifact.hash,
      builds,
      ...contents,
      ...(envelopeFile === undefined ? {} : { signature: envelopeFile, signer }),
      problems,
    },
    `${[...lines, ...(await nextSteps(directory, plugin.directory, capabilities))].join('\n')}\n`,
  );
  return EXIT.ok;
}

/** How others get the plugin: from npm if it is a package that can be published, else as a directory. */
async function nextSteps(
  named: string,
  directory: string,
  { readFile }: Pick<CliCapabilities, 'readFile'>,
): Promise<readonly string[]> {
  const fields = await readFile(join(directory, 'package.json'))
    .then((text): unknown => JSON.parse(text))
    .catch(() => undefined);
  const { name, private: isPrivate = false } = isRecord(fields) ? fields : {};
  if (typeof name !== 'string' || isPrivate !== false) {
    return ['', 'Next:', `  bulkhead add ${shellWord(named)}`];
  }
  return [
    '',
    'Next:',
    `  npm publish    in ${visible(named)}`,
    `  bulkhead add npm:${visible(name)}    what others type then`,
  ];
}
