import type { Inspection } from '../engine/inspect-plugin.js';
import { diskReader } from '../engine/node/disk-reader.js';
import type { PluginProblem } from '../engine/types/status.js';
import { type BulkheadError, type ErrorCode, isBulkheadError } from '../errors.js';
import { readPlugin } from '../formats/discover.js';
import type { Format } from '../formats/format.js';
import { detectFormat, formatNamed } from '../formats/table.js';
import { scopesOf, unionOf } from '../permissions/permissions.js';
import type { Plugin } from '../plugin/plugin.js';
import type { Suggestion } from '../suggest/suggestion.js';
import type { CheckFinding } from './finding.js';
import {
  manifestProblem,
  type ManifestText,
  readManifestText,
  unreadKeys,
} from './manifest-findings.js';
import { missingFileIn } from './missing-file.js';
import { permissionFindings, placeIn } from './permission-findings.js';
import { placeInSource } from './place-in-source.js';
import { costOf, type ToolCost, toolFindings } from './tool-findings.js';

/** What a check of one plugin found. */
export interface PluginCheck {
  /** Absent if it cannot be read. */
  readonly plugin?: string;
  readonly directory: string;
  readonly findings: readonly CheckFinding[];
  /** What each of its tools costs a model. */
  readonly tools: readonly ToolCost[];
  /** Present if it could be built and loaded. */
  readonly inspected?: Inspection;
}

/** The parts of the product that read and load the plugin. */
export interface CheckCapabilities {
  /** Builds the plugin and loads it in a guest without network access. */
  readonly inspect: (directory: string) => Promise<Inspection>;
  /** Reads its code. */
  readonly suggest: (directory: string) => Promise<Suggestion>;
}

/**
 * Checks everything that can be known about a plugin without calling its tools. Its modules run, in a
 * guest without network access, because tools exist only after that. Rejects only for a directory
 * without a plugin, with `PLUGIN_NOT_FOUND`.
 */
export async function checkPlugin(
  directory: string,
  { inspect, suggest }: CheckCapabilities,
): Promise<PluginCheck> {
  const format = await detectFormat(diskReader, directory);
  // A pack has no sources: only its artifact is checked.
  if (format === undefined) return checkPack(directory, inspect);
  let plugin: Plugin;
  let own: readonly string[];
  try {
    ({ plugin, problems: own } = await readPlugin(diskReader, directory));
  } catch (error) {
    if (!isBulkheadError(error)) throw error;
    const manifest = await readManifestText(diskReader, directory, format.manifestFile);
    const unread = manifest === undefined ? [] : unreadKeys(manifest, format);
    const findings = unreadable(error, manifest, format.manifestFile);
    return { directory, findings: [...withoutUnread(findings, unread), ...unread], tools: [] };
  }
  const manifest = await readManifestText(diskReader, directory, plugin.manifest);
  const findings: CheckFinding[] = [
    // The format reads on without these.
    ...own.map((problem): CheckFinding => ({
      ...manifestProblem(manifest, problem, plugin.manifest),
      level: 'warning',
    })),
    ...(manifest === undefined ? [] : unreadKeys(manifest, format)),
    ...versionFindings(plugin),
  ];
  const checked = { plugin: plugin.id, directory };
  const file = onlyFile(plugin);
  let inspected: Inspection;
  try {
    inspected = await inspect(directory);
  } catch (error) {
    if (!isBulkheadError(error)) throw error;
    const failed = [...findings, ...notLoaded(error, file, plugin.manifest)];
    return { ...checked, findings: await placedInSource(failed, directory), tools: [] };
  }
  const loaded = inspected.faults.map((fault) =>
    ofUsableTool(faultFinding(fault, plugin, file), inspected.tools),
  );
  const others = inspected.problems.filter(
    (problem) =>
      !own.includes(problem) && !inspected.faults.some(({ message }) => message === problem),
  );
  findings.push(...others.map((problem) => problemFinding(problem, inspected, file)));
  findings.push(
    ...emptyFindings(plugin, format),
    ...loaded,
    ...toolFindings(plugin.id, inspected.tools, file),
  );
  const declared = unionOf(plugin.entries.map((entry) => entry.declared));
  try {
    const suggestion = await suggest(directory);
    // What runs only after a failure was not read, and what a manifest does not declare is not in it.
    const isWhole =
      loaded.length === 0 && plugin.entries.every(({ undeclared }) => undeclared !== true);
    const found = permissionFindings(
      suggestion,
      declared,
      formatNamed(plugin.format),
      isWhole ? manifest : undefined,
    );
    findings.push(...found.filter((one) => !loaded.some((other) => isSamePlace(one, other))));
  } catch (error) {
    if (!isBulkheadError(error)) throw error;
    // The build's own problems are among the findings already.
    if (loaded.length === 0) findings.push(...notLoaded(error, file, plugin.manifest));
  }
  const tools = Object.entries(inspected.tools).map(([tool, one]) => costOf(tool, one));
  const placed = await placedInSource(findings, directory);
  return { ...checked, findings: sorted(placed), tools, inspected };
}

/** Adds the lines of findings that have only a file. */
async function placedInSource(
  findings: readonly CheckFinding[],
  directory: string,
): Promise<readonly CheckFinding[]> {
  const sources = new Map<string, Promise<ManifestText | undefined>>();
  return Promise.all(
    findings.map(async (finding) => {
      const { file, line } = finding;
      if (file === undefined || line !== undefined) return finding;
      if (!sources.has(file)) sources.set(file, readManifestText(diskReader, directory, file));
      const source = await sources.get(file);
      return source === undefined
        ? finding
        : { ...finding, ...placeInSource(finding, source.text) };
    }),
  );
}

async function checkPack(
  directory: string,
  inspect: CheckCapabilities['inspect'],
): Promise<PluginCheck> {
  const inspected = await inspect(directory);
  const { plugin, problems } = inspected;
  return {
    plugin: plugin.id,
    directory,
    findings: [
      ...problems.map((message) => problemFinding(message, inspected, undefined)),
      ...toolFindings(plugin.id, inspected.tools, undefined),
    ],
    tools: Object.entries(inspected.tools).map(([tool, one]) => costOf(tool, one)),
    inspected,
  };
}

function unreadable(
  error: BulkheadError,
  manifest: ManifestText | undefined,
  fallback: string,
): readonly CheckFinding[] {
  const problems = isBulkheadError(error, 'INVALID_MANIFEST')
    ? error.details.problems
    : [error.message];
  return problems.map((problem) => manifestProblem(manifest, problem, fallback));
}

/** Without the refusals of keys that are findings of their own. */
function withoutUnread(
  findings: readonly CheckFinding[],
  unread: readonly CheckFinding[],
): readonly CheckFinding[] {
  return findings.filter(
    ({ message, line, column }) =>
      !message.includes(': is not known') ||
      !unread.some((one) => one.line === line && one.column === column),
  );
}

function versionFindings({ version, manifest }: Plugin): readonly CheckFinding[] {
  if (version !== undefined) return [];
  return [
    {
      rule: 'version',
      level: 'note',
      message: 'The plugin has no version.',
      fix: `Add "version": "1.0.0" to ${manifest}.`,
      file: manifest,
      line: 1,
      column: 1,
    },
  ];
}

/** A plugin of files that has none of them. */
function emptyFindings(plugin: Plugin, format: Format): readonly CheckFinding[] {
  const { entries, manifest, notRun = [] } = plugin;
  const isEmpty = entries.every(({ surfaces }) => surfaces?.length === 0);
  const described = format.describeEmpty?.(plugin);
  if (!isEmpty || notRun.length > 0 || described === undefined) return [];
  return [{ rule: 'load', ...described, file: manifest, line: 1, column: 1 }];
}

/** The file of a plugin with one entry. */
function onlyFile({ entries }: Plugin): string | undefined {
  const [first, ...others] = entries.filter(({ surface }) => surface !== 'channels');
  return others.length === 0 && first?.surfaces === undefined ? first?.file : undefined;
}

/** `manifest`: the file that names the plugin's others. */
function notLoaded(
  error: BulkheadError,
  file: string | undefined,
  manifest: string,
): readonly CheckFinding[] {
  if (!isBulkheadError(error, 'BUNDLE_FAILED')) return [loadFinding(error.message, file)];
  return error.details.problems.map(
    ({ message, file: found, line, column, remedy }): CheckFinding => {
      const at = found ?? (missingFileIn(message) === undefined ? undefined : manifest);
      return {
        rule: 'build',
        level: 'error',
        message: ended(message),
        ...(remedy === undefined ? {} : { fix: remedy }),
        ...(at === undefined ? {} : { file: at }),
        ...(line === undefined ? {} : { line, column: (column ?? 0) + 1 }),
      };
    },
  );
}

/** The checked guest may not write or send, so code that does so while it loads cannot be checked. */
const NOT_LENT: ReadonlyMap<ErrorCode, 'network' | 'storage' | 'powers'> = new Map([
  ['NETWORK_DENIED', 'network'],
  ['STORAGE_DENIED', 'storage'],
  ['POWER_DENIED', 'powers'],
]);

function faultFinding(
  { code, message, at }: PluginProblem,
  { entries }: Plugin,
  file: string | undefined,
): CheckFinding {
  const kind = NOT_LENT.get(code);
  const isDeclared =
    kind !== undefined && entries.some(({ declared }) => scopesOf(declared, kind).length > 0);
  const place = { ...(file === undefined ? {} : { file }), ...placeIn(at) };
  if (!isDeclared) return { ...loadFinding(message, file), ...place };
  return {
    rule: 'load',
    level: 'note',
    message: `The code uses the permission ${kind} while it loads, which a check does not grant. What it offers after that is not checked.`,
    ...place,
  };
}

function problemFinding(
  problem: string,
  { inactive, tools }: Inspection,
  file: string | undefined,
): CheckFinding {
  if (!inactive.includes(problem)) return ofUsableTool(loadFinding(problem, file), tools);
  return {
    rule: 'inactive',
    level: 'note',
    message: `The tools are not checked: ${ended(problem)}`,
  };
}

/** A mistake in a tool that can be called nevertheless is a warning. */
function ofUsableTool(finding: CheckFinding, tools: Inspection['tools']): CheckFinding {
  const [, named, file] =
    /^(?:tool "([^"\n]+)"|tools\/([^\s:/]+)\.[cm]?[jt]sx?): /.exec(finding.message) ?? [];
  const tool = named ?? file;
  return tool !== undefined && Object.hasOwn(tools, tool) && !finding.message.includes('cannot be')
    ? { ...finding, level: 'warning' }
    : finding;
}

function loadFinding(problem: string, file: string | undefined): CheckFinding {
  // A program is built when it is imported, which is while it runs.
  const [, spot, built] = NOT_BUILT.exec(problem) ?? [];
  if (built !== undefined) {
    return { rule: 'build', level: 'error', message: ended(built), ...placeIn(spot) };
  }
  const at = problem.search(/ (?:To fix this[,:] |Write: |Did you mean )/);
  const named = file ?? fileNamedBy(problem);
  const [message, fix] =
    at < 0 ? [problem, undefined] : [problem.slice(0, at), remedyIn(problem.slice(at + 1))];
  return {
    rule: 'load',
    level: 'error',
    message: ended(message),
    ...(fix === undefined ? {} : { fix: ended(fix) }),
    ...(named === undefined ? {} : { file: named }),
  };
}

function remedyIn(text: string): string {
  return text.replace(/^To fix this: (.)/, (_whole, first: string) => first.toUpperCase());
}

const NOT_BUILT = /The plugin cannot be bundled: ([^\s:]+\.[cm]?[jt]sx?:\d+:\d+): ([^]*)$/;

/** The file that a problem begins with: `tools/now.ts: is not a tool`. */
function fileNamedBy(problem: string): string | undefined {
  return /^([^\s:]+\.[cm]?[jt]sx?): /.exec(problem)?.[1];
}

function isSamePlace(one: CheckFinding, other: CheckFinding): boolean {
  return one.line !== undefined && one.file === other.file && one.line === other.line;
}

function ended(text: string): string {
  return /[.?!\]]$/.test(text) ? text : `${text}.`;
}

const RANK = { error: 0, warning: 1, note: 2 } as const;

function sorted(findings: readonly CheckFinding[]): readonly CheckFinding[] {
  return findings.toSorted((a, b) => RANK[a.level] - RANK[b.level]);
}
