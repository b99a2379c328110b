import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { isRecord } from '../../../sandbox/wire/json.js';
import { diskReader } from '../../engine/node/disk-reader.js';
import { readPlugin } from '../../formats/discover.js';
import { formatNamed } from '../../formats/table.js';
import { expand } from '../../lock/compact.js';
import { parseReference } from '../../permissions/reference.js';
import { scopeTexts } from '../../permissions/table.js';
import {
  requestsOfProgram,
  unknownNeeds,
  whyProgramCannotRun,
} from '../../suggest/program-needs.js';
import { shellWord, visible } from '../../visible.js';
import type { CliCapabilities } from '../capabilities.js';
import { fetchPackage, type FetchSettings } from '../lock/fetch.js';
import { openLock } from '../lock/options.js';
import type { PlacedServer } from './client-file.js';
import { moveKeys } from './moved-keys.js';
import { readStart } from './start.js';

/** A permission that a server would get, in the form of `--allow`. */
export interface Need {
  readonly allow: string;
  readonly sentence: string;
  /** The user gives it to this server today, in the client's file: a variable. */
  readonly given: boolean;
}

/** A server of a client that Bulkhead can confine. */
export interface Candidate {
  readonly server: PlacedServer;
  /** The name of its package. */
  readonly id: string;
  /** Where its code is; `undefined` if the user's lock file has it already. */
  readonly directory: string | undefined;
  readonly args: readonly string[];
  /** What it uses; of an accepted server, what it was granted. */
  readonly needs: readonly Need[];
  /** What would fail, in sentences. */
  readonly stops: readonly string[];
}

/** Why a server stays as it is. */
export interface LeftAlone {
  readonly server: PlacedServer;
  readonly why: string;
}

/** Reads the code of a server that a client starts. Fetches its package; starts nothing. */
export async function examineServer(
  server: PlacedServer,
  fetching: FetchSettings,
  capabilities: CliCapabilities,
): Promise<Candidate | LeftAlone> {
  const start = readStart(server.entry);
  if (start.kind === 'other') return { server, why: start.why };
  const local = start.kind === 'program' ? await packageOf(start.file, capabilities) : undefined;
  if (start.kind === 'program' && local === undefined) {
    return { server, why: `${start.file} is not the program of a package` };
  }
  const lock = openLock({ user: true }, capabilities);
  const id = start.kind === 'package' ? start.spec.name : (local?.name ?? '');
  const accepted = lock.read().plugins[id];
  if (accepted !== undefined) {
    const { env, network } = expand(accepted.granted);
    const keys = moveKeys(start.args, new Set(Object.keys(variablesOf(server)))).variables;
    const missing = Object.keys(keys).find((name) => !env.includes(name));
    if (missing !== undefined) {
      const line = `bulkhead update --user ${id} --allow env:${missing}`;
      return { server, why: `a key is among its arguments. To move it into a variable: ${line}` };
    }
    const needs = network.map((host): Need => ({
      allow: `network:${host}`,
      sentence: sentenceOf(`network:${host}`),
      given: true,
    }));
    const stops = Object.keys(variablesOf(server))
      .filter((name) => !env.includes(name))
      .map(
        (name) =>
          `read the variable ${name}, which you did not grant. To grant it: bulkhead update --user ${shellWord(id)} --allow env:${name}`,
      );
    return { server, id, directory: undefined, args: start.args, needs, stops };
  }
  const directory =
    start.kind === 'package'
      ? await fetchPackage(`npm:${id}@${start.spec.version}`, fetching, capabilities)
      : (local?.directory ?? '');
  const suggestion = await capabilities.suggestPermissions(directory);
  const why = whyProgramCannotRun(suggestion);
  if (why !== undefined) {
    return { server, why: `${why}. bulkhead add --user --partial accepts it without that part` };
  }
  const used = requestsOfProgram(suggestion).map(({ allow, at }): Need => ({
    allow,
    sentence: `${sentenceOf(allow)} (${visible(at)})`,
    given: false,
  }));
  const env = variablesOf(server);
  const given = Object.keys(env).map((name): Need => ({
    allow: `env:${name}`,
    sentence: `${sentenceOf(`env:${name}`)} (its value stays in the client's file)`,
    given: true,
  }));
  const mounts = await directoriesAmong([...start.args, ...Object.values(env)], capabilities);
  const files = mounts.map((path): Need => ({
    allow: `fs:${path}:rw`,
    sentence: `${sentenceOf(`fs:${path}:rw`)} (the client's file names it)`,
    given: false,
  }));
  const needs = used.filter(({ allow }) => !given.some((one) => one.allow === allow));
  return {
    server,
    id,
    directory,
    args: start.args,
    needs: [...given, ...needs, ...files],
    stops: unknownNeeds(suggestion),
  };
}

/** The variables of an entry that can be granted. */
export function variablesOf({ entry }: PlacedServer): Readonly<Record<string, string>> {
  const env = isRecord(entry) ? entry['env'] : undefined;
  return Object.fromEntries(
    Object.entries(isRecord(env) ? env : {}).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' && VARIABLE.test(name) && !OF_NODE.test(name)
        ? [[name, value]]
        : [],
    ),
  );
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
/** Variables for Node and the shell, which mean nothing inside a guest. */
const OF_NODE = /^(?:NODE_OPTIONS|NODE_PATH|PATH|__proto__)$|^npm_config_/i;

function sentenceOf(allow: string): string {
  const { kind, scope = '' } = parseReference(allow);
  return visible(scopeTexts[kind].explain(scope));
}

/** The absolute paths among these texts that are directories. */
async function directoriesAmong(
  texts: readonly string[],
  { listDirectory, environment }: Pick<CliCapabilities, 'listDirectory' | 'environment'>,
): Promise<readonly string[]> {
  const home = environment['HOME'] ?? '';
  const paths = texts.map((text) => (text.startsWith('~/') ? join(home, text.slice(2)) : text));
  const found = await Promise.all(
    [...new Set(paths)].map(async (path) => {
      // A scope of the permission cannot have a colon in its path.
      if (!isAbsolute(path) || path.includes(':') || path === sep) return [];
      return listDirectory(path).then(
        () => [resolve(path)],
        () => [],
      );
    }),
  );
  return found.flat();
}

/** The package above a program's file, if the file is the program that it names. */
async function packageOf(
  file: string,
  { readFile, realPath }: Pick<CliCapabilities, 'readFile' | 'realPath'>,
): Promise<{ readonly name: string; readonly directory: string } | undefined> {
  if (!isAbsolute(file)) return undefined;
  const real = await realPath(file);
  let directory = dirname(real);
  while (!(await exists(join(directory, 'package.json'), readFile))) {
    if (dirname(directory) === directory) return undefined;
    directory = dirname(directory);
  }
  const { plugin } = (await readPlugin(diskReader, directory).catch(() => undefined)) ?? {};
  if (plugin === undefined || formatNamed(plugin.format).arePrograms !== true) return undefined;
  const files = plugin.entries.flatMap(({ surfaces = [] }) => surfaces.map((one) => one.file));
  const isProgram = files.some((one) => resolve(directory, one) === real);
  return isProgram ? { name: plugin.id, directory } : undefined;
}

function exists(path: string, readFile: CliCapabilities['readFile']): Promise<boolean> {
  return readFile(path).then(
    () => true,
    () => false,
  );
}
