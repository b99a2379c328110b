import { join } from 'node:path';
import type { Engine } from '../../engine/engine-api.js';
import type { EngineOptions } from '../../engine/types/options.js';
import { readPackageOptions } from '../../engine/types/package-options.js';
import { formatNamed } from '../../formats/table.js';
import { parseReference } from '../../permissions/reference.js';
import { visible } from '../../visible.js';
import type { CliCapabilities } from '../capabilities.js';
import { withEdits } from '../client/client-file.js';
import { type PackageSettings, packagesOption } from '../package-options.js';
import { type LearnedPermission, makeLearning, requestFor } from './learn.js';
import { makePackageLearning } from './learn-packages.js';
import type { MockedHosts } from './mock-file.js';
import type { CallObserver } from './run-lines.js';
import { scopedName } from './snapshot.js';

/** Runs a plugin with what it asks for, and tells the least permissions that it used. */
export interface Learner {
  createEngine(options: EngineOptions): Promise<Engine>;
  readonly observer: CallObserver;
  /** Prints what was learned, and writes it into the manifest if the author wants that. */
  finish(engine: Engine): Promise<void>;
}

export interface LearnSettings extends PackageSettings {
  readonly allow?: readonly string[];
  readonly power?: readonly { readonly name: string }[];
  readonly write?: boolean;
}

/** Times that a plugin is loaded again, because its modules ask for another permission. */
const MAX_LOADS = 3;

export async function openLearner(
  directory: string,
  { allow = [], power = [], write = false, ...packaged }: LearnSettings,
  mocks: MockedHosts | undefined,
  capabilities: Pick<
    CliCapabilities,
    'createLearningEngine' | 'suggestPermissions' | 'readFile' | 'replaceText' | 'stdout' | 'stderr'
  >,
): Promise<Learner> {
  const { createLearningEngine, suggestPermissions, readFile, replaceText, stdout, stderr } =
    capabilities;
  const references = allow.map((text) => parseReference(text));
  const scopes = (kind: string): readonly string[] =>
    references.flatMap((one) => (one.kind === kind && one.scope !== undefined ? [one.scope] : []));
  const hosts = (): readonly string[] => [
    ...new Set([...scopes('network'), ...(mocks?.hosts() ?? [])]),
  ];
  const given = readPackageOptions(packagesOption(packaged, false).packages)('*');
  const packages = given === undefined ? undefined : makePackageLearning(given, hosts);
  const learning = makeLearning(
    () => ({ network: hosts(), fs: scopes('fs'), powers: power.map(({ name }) => name) }),
    packages,
  );
  const suggestion = await suggestPermissions(directory);
  let opened: Engine | undefined;

  const writeManifest = async (
    learned: readonly LearnedPermission[],
    all: boolean,
  ): Promise<void> => {
    const file = join(directory, suggestion.manifest.replace(/^.* of /, ''));
    const { permissionsPath } = formatNamed(suggestion.format);
    const text = await readFile(file);
    const request = requestFor(learned);
    const edits = all
      ? [{ path: permissionsPath, value: request }]
      : Object.entries(request).map(([kind, value]) => ({
          path: [...permissionsPath, kind],
          value,
        }));
    await replaceText(file, withEdits(text, edits));
    await stderr.write(`wrote the permissions into ${visible(file)}\n`);
  };

  return {
    createEngine: async (options) => {
      const engine = await createLearningEngine(
        { ...options, grant: () => learning.grant(suggestion), onEvent: learning.onEvent },
        packages?.options,
      );
      opened = engine;
      for (let loads = 0; loads < MAX_LOADS; loads += 1) {
        if (!(await learning.grantAsked(engine, suggestion.plugin))) break;
      }
      return engine;
    },
    observer: {
      before: learning.begin,
      repeats: async () =>
        opened !== undefined && (await learning.grantAsked(opened, suggestion.plugin)),
    },
    finish: async (engine) => {
      const now = await suggestPermissions(directory);
      const learned = learning.learned(now);
      const tools = engine.catalog.list();
      const uncalled = tools.filter(
        ({ name, tool }) => !learning.called.has(tool) && !learning.called.has(name),
      );
      await stdout.write(describeLearned(learned));
      for (const line of packages?.describe(directory) ?? []) await stdout.write(`${line}\n`);
      if (uncalled.length > 0) {
        const names = uncalled.map(({ tool }) => visible(tool)).join(', ');
        await stderr.write(`not called, so nothing is known about: ${names}\n`);
      }
      if (write) await writeManifest(learned, uncalled.length === 0);
    },
  };
}

function describeLearned(learned: readonly LearnedPermission[]): string {
  const used = learned.filter(({ refused }) => !refused);
  const refused = learned.filter((one) => one.refused);
  const line = ({ kind, scope, at }: LearnedPermission): string =>
    `  ${visible(scopedName(kind, scope)).padEnd(40)}  ${visible(at ?? 'place not known')}`;
  return [
    used.length === 0 ? 'The plugin used no permission.' : 'The plugin used these permissions:',
    ...used.map(line),
    ...(refused.length === 0
      ? []
      : [
          'It asked in vain for these. Allow them with --allow or --mock, and call the tool again:',
          ...refused.map(line),
        ]),
    'The least request, for the manifest:',
    ...JSON.stringify({ permissions: requestFor(learned) }, undefined, 2)
      .split('\n')
      .map((text) => `  ${visible(text)}`),
    '',
  ].join('\n');
}
