import type { Engine } from '../../engine/engine-api.js';
import { watchDirectories } from '../../engine/node/watcher.js';
import { watchPlugins } from '../../engine/plugins/watching.js';
import type { PluginStatus } from '../../engine/types/status.js';
import { visible } from '../../visible.js';
import type { CliCapabilities, TextSink } from '../capabilities.js';
import { failureOf, failureOfProblem } from '../failure.js';
import { round } from '../invoke.js';
import { makePaint, type Paint } from '../output.js';
import { errorBlock } from '../report-failure.js';
import type { LiveCheck } from './live-check.js';
import { shortName } from './complete.js';
import { exampleInput, propertiesOf } from './call-line.js';
import { describeChanges, scopedName, type Snapshot, snapshotOf } from './snapshot.js';
import { permissionNames } from '../../permissions/table.js';
import { scopesOf, unionOf } from '../../permissions/permissions.js';

export interface SessionSpec {
  readonly directory: string;
  readonly engine: Engine;
  /** The variables of the plugin that have values. */
  readonly given: ReadonlySet<string>;
  /** Files outside of the directory that are read again with the plugin. */
  readonly files: readonly string[];
  /** Runs before the plugin is read again, and returns what changed. What it throws is shown. */
  readonly beforeReload: () => Promise<readonly string[]>;
  /** Runs after the plugin was read. Default: nothing does. */
  readonly check?: LiveCheck | undefined;
  /** Where the session writes what it does. */
  readonly out: TextSink;
}

/** A plugin that is reloaded at each save. */
export interface DevSession {
  /** Starts to watch, and shows the plugin. */
  start(): Promise<void>;
  /** Reads the plugin again, and shows what changed. */
  reload(): Promise<void>;
  /** The plugin, with its tools and permissions. */
  describe(): string;
  close(): Promise<void>;
}

/** Milliseconds from the last change to the reload. Most editors replace a file in one step. */
const SETTLE_MS = 15;

/** Problems that are shown at once. */
const MAX_SHOWN = 5;

export function openSession(
  spec: SessionSpec,
  capabilities: Pick<CliCapabilities, 'now' | 'readFile'>,
): DevSession {
  const { directory, engine, given, files, beforeReload, check, out } = spec;
  const { now, readFile } = capabilities;
  const paint = makePaint(out.colour);
  let before: Snapshot = snapshotOf(engine.plugins());
  /** When the first change since the last reload was noticed. */
  let changedMs: number | undefined;

  const describe = (): string => describePlugins(engine.plugins(), given);

  const showProblems = async (
    after: Snapshot,
    isKnown: (message: string) => boolean = () => false,
  ): Promise<void> => {
    // The check shows those of the manifest, with their places.
    const problems = after.problems
      .filter(({ code }) => check === undefined || code !== 'INVALID_MANIFEST')
      .filter(({ message }) => !isKnown(message));
    for (const problem of problems.slice(0, MAX_SHOWN)) {
      const failure = failureOfProblem(problem);
      await out.write(await errorBlock(failure, directory, { stderr: out, readFile }));
    }
    const more = problems.length - MAX_SHOWN;
    if (more > 0) await out.write(`and ${more} more problems\n`);
  };

  const reload = async (): Promise<void> => {
    const startedMs = changedMs ?? now();
    changedMs = undefined;
    let others: readonly string[];
    try {
      others = await beforeReload();
      await engine.reload();
    } catch (error) {
      await out.write(await errorBlock(failureOf(error), directory, { stderr: out, readFile }));
      return;
    }
    const after = snapshotOf(engine.plugins());
    const took = `${round(now() - startedMs)} ms`;
    const changes = [
      ...describeChanges(before, after, paint),
      ...others.map((text) => `  ~ ${visible(text)}`),
    ];
    await out.write(
      `${[headline(before, after, took, changes.length > 0, paint), ...changes].join('\n')}\n`,
    );
    // A save that is not served says why each time.
    const known = after.code === before.code ? [] : before.problems.map(({ message }) => message);
    await showProblems(after, (message) => known.includes(message));
    before = after;
    check?.run();
  };

  const watching = watchPlugins({
    paths: [directory, ...files],
    watch: (roots, isIgnored, onChange) =>
      watchDirectories(roots, isIgnored, () => {
        changedMs ??= now();
        onChange();
      }),
    reload,
    onFailed: () => {},
    settleMs: SETTLE_MS,
  });

  return {
    start: async () => {
      await watching.start();
      await out.write(describe());
      await showProblems(before);
      check?.run();
    },
    reload,
    describe,
    close: async () => {
      await watching.close();
      await check?.close();
    },
  };
}

function headline(
  former: Snapshot,
  after: Snapshot,
  took: string,
  hasChanges: boolean,
  paint: Paint,
): string {
  const isNew = after.code !== former.code;
  if (after.problems.length === 0) {
    const isSame = !isNew && !hasChanges && former.problems.length === 0;
    return isSame ? `unchanged (${took})` : paint('green', `reloaded in ${took}`);
  }
  if (isNew) return paint('yellow', `reloaded in ${took}, with problems`);
  return after.tools.size === 0
    ? paint('red', `not loaded (${took})`)
    : paint('yellow', `not reloaded (${took}): the last good version still serves`);
}

const UNSET = (name: string): string =>
  ` (no value: --env ${name}=VALUE, or --secret ${name}=HOST)`;

/** The plugins with their tools and permissions. */
function describePlugins(plugins: readonly PluginStatus[], given: ReadonlySet<string>): string {
  const lines = plugins.flatMap(({ id, version, format, state, tools, entries }) => {
    const permissions = unionOf(entries.map(({ effective }) => effective));
    return [
      [
        visible(id),
        ...(version === undefined ? [] : [visible(version)]),
        `(${format ?? 'unknown'}, ${state})`,
      ].join(' '),
      ...tools.map((tool) => {
        const fields = Object.keys(propertiesOf(tool.inputSchema));
        return `  tool        ${visible(shortName(tool))}(${fields.map(visible).join(', ')})`;
      }),
      ...permissionNames.flatMap((kind) =>
        scopesOf(permissions, kind).map((scope) => {
          const unset = kind === 'env' && !given.has(scope) ? UNSET(scope) : '';
          return `  permission  ${visible(scopedName(kind, scope))}${unset}`;
        }),
      ),
    ];
  });
  return lines.map((line) => `${line}\n`).join('');
}

/** A line that calls the first tool. */
export function exampleLine(plugins: readonly PluginStatus[]): string {
  const [tool] = plugins.flatMap(({ tools }) => tools);
  if (tool === undefined) return 'TOOL {"field":"value"}';
  return visible(`${shortName(tool)} ${JSON.stringify(exampleInput(tool.inputSchema))}`);
}
