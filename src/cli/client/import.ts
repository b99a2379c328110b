import { isRecord } from '../../../sandbox/wire/json.js';
import { messageOf } from '../../errors.js';
import { shellWord, visible } from '../../visible.js';
import type { CliCapabilities } from '../capabilities.js';
import type { ExitCode } from '../exit-codes.js';
import { failureOf, usageError } from '../failure.js';
import { acceptPlugin } from '../lock/add.js';
import type { FetchSettings } from '../lock/fetch.js';
import { openLock } from '../lock/options.js';
import { parseReference } from '../../permissions/reference.js';
import { scopeTexts } from '../../permissions/table.js';
import { type Candidate, examineServer, type LeftAlone, variablesOf } from './candidate.js';
import { type FileEdit, placedServersIn } from './client-file.js';
import { type Client, clientNamed, clientOfFile, CLIENTS } from './clients.js';
import { type FormerEntry, readFormerEntries, storeFormerEntries } from './former-entries.js';
import { isKeyName, moveKeys } from './moved-keys.js';
import { type ClientFile, commandLine, isOurs, readClientFile, rewriteClient } from './rewrite.js';

export interface ImportSettings extends FetchSettings {
  readonly import?: string;
  readonly server?: readonly string[];
  readonly accept?: boolean;
  readonly allow?: readonly string[];
}

/**
 * Offers to confine the servers that a client starts today. Says first what each would get and what would
 * stop working. Starts none of them; other servers stay as they are, and are named.
 */
export async function importServers(
  settings: ImportSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const { stdout, stderr } = capabilities;
  const found = await readClientFile(
    await clientAt(settings.import ?? '', capabilities),
    capabilities,
  );
  const servers = chosenServers(found, settings.server);
  const candidates: Candidate[] = [];
  for (const server of servers) {
    if (isOurs(server.entry, capabilities)) {
      await stdout.write(`${placeName(server.path)}: Bulkhead starts it already\n`);
      continue;
    }
    const examined = await examineServer(server, settings, capabilities).catch(
      (error: unknown): LeftAlone => ({ server, why: failureOf(error).message }),
    );
    if ('why' in examined) {
      await stdout.write(
        `${placeName(server.path)}: left alone, UNCONFINED: ${visible(examined.why)}\n`,
      );
    } else candidates.push(examined);
  }
  const confined: Confined[] = [];
  for (const candidate of candidates) {
    const made = confine(candidate, settings, capabilities);
    await stdout.write(describe(candidate, made));
    if (await wants(candidate, capabilities)) confined.push(made);
  }
  if (servers.length === 0) await stderr.write(`${visible(found.file)} names no servers\n`);
  const shown = confined.map((one) => one.shown).join('');
  return rewriteClient(
    found,
    {
      option: '--import',
      accept: settings.accept,
      edits: confined.flatMap(({ edits }) => edits),
      shown,
      prepare: () => acceptAll(found, confined, capabilities),
    },
    capabilities,
  );
}

/** A client by its name, or a file of the same form. */
async function clientAt(named: string, capabilities: CliCapabilities): Promise<Client> {
  if (CLIENTS.includes(named) || !/[./\\]/.test(named)) {
    return clientNamed('--import', named, capabilities);
  }
  return clientOfFile(
    named,
    await capabilities.readFile(named).catch((error: unknown) => {
      throw usageError('--import', `${visible(named)} cannot be read: ${messageOf(error)}`);
    }),
  );
}

function chosenServers(
  { client, before }: ClientFile,
  names: readonly string[] | undefined,
): ReturnType<typeof placedServersIn> {
  const servers = placedServersIn(before, client);
  const missing = names?.find((name) => !servers.some((server) => server.name === name));
  if (missing !== undefined) {
    throw usageError('--server', `${client.title} has no server named ${visible(missing)}`);
  }
  return servers.filter(({ name }) => names === undefined || names.includes(name));
}

/** A server as it would be started. */
interface Confined {
  readonly candidate: Candidate;
  /** What it is granted, in the form of `--allow`. */
  readonly granted: readonly string[];
  /** Variables whose values it does not see, with the hosts that get them. */
  readonly hidden: readonly string[];
  readonly edits: readonly FileEdit[];
  readonly former: Omit<FormerEntry, 'file'>;
  readonly shown: string;
}

/**
 * How a server would be started. At a terminal, the person says yes to all that it uses. Otherwise it gets
 * the variables of its entry, and what `--allow` names.
 */
function confine(
  candidate: Candidate,
  { allow = [] }: ImportSettings,
  capabilities: CliCapabilities,
): Confined {
  const { server, id, needs } = candidate;
  const { entry, path } = server;
  const env = variablesOf(server);
  const moved = moveKeys(candidate.args, new Set(Object.keys(env)));
  const variables = { ...env, ...moved.variables };
  const granted = [
    ...needs
      .filter(
        (need) => need.given || capabilities.ask !== undefined || isCovered(need.allow, allow),
      )
      .map((need) => need.allow),
    ...Object.keys(moved.variables).map((name) => `env:${name}`),
  ];
  const hosts = granted.flatMap((text) => /^network:(?!\*$)(.+)$/.exec(text)?.[1] ?? []);
  // guard: client-keys-become-references
  const hidden =
    hosts.length === 0
      ? []
      : Object.keys(variables).filter(
          (name) =>
            (isKeyName(name) || name in moved.variables) && canBeHidden(variables[name] ?? ''),
        );
  const { command, args } = capabilities.ownCommand;
  const started = [
    ...args,
    'run',
    `npm:${id}`,
    ...hidden.flatMap((name) => ['--secret', `${name}=${hosts.join(',')}`]),
    ...(moved.args.length === 0 ? [] : ['--', ...moved.args]),
  ];
  const before = isRecord(entry) ? entry : {};
  const { command: formerCommand, args: formerArgs = [] } = before;
  const { args: shownArgs } = moveKeys(texts(formerArgs), new Set(Object.keys(env)));
  const edits = [
    { path: [...path, 'command'], value: command },
    { path: [...path, 'args'], value: started },
    ...Object.entries(moved.variables).map(([name, value]) => ({
      path: [...path, 'env', name],
      value,
    })),
  ];
  const place = placeName(path);
  return {
    candidate,
    granted,
    hidden,
    edits,
    former: {
      path,
      command: String(formerCommand),
      args: shownArgs,
      added: Object.keys(moved.variables),
      hadVariables: isRecord(before['env']),
    },
    shown:
      `- ${place}: ${commandLine({ command: formerCommand, args: shownArgs })}\n` +
      `+ ${place}: ${commandLine({ command, args: started })}\n` +
      Object.keys(moved.variables)
        .map((name) => `+ ${place}.env.${name}: the key that was among the arguments\n`)
        .join(''),
  };
}

/** Whether one of these permissions covers another one. All are in the form of `--allow`. */
function isCovered(wanted: string, allowed: readonly string[]): boolean {
  const { kind, scope = '' } = parseReference(wanted);
  return allowed.some((text) => {
    const one = parseReference(text);
    return one.kind === kind && scopeTexts[kind].intersect([one.scope ?? ''], [scope]).length > 0;
  });
}

function texts(values: unknown): readonly string[] {
  return Array.isArray(values) ? values.map(String) : [];
}

/** A client fills in `${…}` before it starts a server, so the value is not known here. */
function canBeHidden(value: string): boolean {
  return value.includes('${') || /^[!-~]{8,4096}$/.test(value);
}

function describe({ server, id, directory, needs, stops }: Candidate, made: Confined): string {
  const place = placeName(server.path);
  const section = (title: string, lines: readonly string[]): string =>
    lines.length === 0 ? '' : `  ${title}\n${lines.map((line) => `    - ${line}\n`).join('')}`;
  if (directory === undefined) {
    const cannot = section('it could no longer', stops.map(visible));
    return `${place}: ${visible(id)}, as you accepted it\n${cannot}`;
  }
  const missing = needs.filter(({ allow }) => !made.granted.includes(allow));
  const gets = needs.filter(({ allow }) => made.granted.includes(allow));
  return [
    `${place}: ${visible(id)} would run confined\n`,
    section('it would get', [
      ...gets.map(({ sentence }) => sentence),
      ...made.hidden.map(
        (name) => `${visible(name)} only as a placeholder, which those hosts get as its value.`,
      ),
    ]),
    section('it could no longer', [
      ...missing.map(
        ({ sentence, allow }) => `${sentence} To grant it: --allow ${visible(shellWord(allow))}`,
      ),
      ...stops.map(visible),
      'start a process, or do anything else that it was not granted',
    ]),
  ].join('');
}

function placeName(path: readonly string[]): string {
  return path.map(visible).join('.');
}

/** At a terminal, each server is asked for. */
async function wants(
  { id }: Candidate,
  capabilities: Pick<CliCapabilities, 'ask' | 'interrupted'>,
): Promise<boolean> {
  if (capabilities.ask === undefined) return true;
  const line = await capabilities.ask(
    `Confine ${visible(id)}? Type yes to accept what it would get; anything else leaves it alone: `,
    capabilities.interrupted,
  );
  return line.trim().toLowerCase() === 'yes';
}

/** Accepts the servers into the user's lock file. Returns the edits of those that were accepted. */
async function acceptAll(
  { file }: ClientFile,
  confined: readonly Confined[],
  capabilities: CliCapabilities,
): Promise<readonly FileEdit[]> {
  const done: Confined[] = [];
  for (const one of confined) {
    const { directory, id, server } = one.candidate;
    const isLocked = Object.hasOwn(openLock({ user: true }, capabilities).read().plugins, id);
    try {
      if (directory !== undefined && !isLocked) {
        const settings = { user: true, yes: true, allow: one.granted };
        const { problems } = await acceptPlugin(directory, settings, capabilities, {
          args: [...one.candidate.args],
        });
        for (const problem of problems) {
          await capabilities.stderr.write(
            `${placeName(server.path)}: try it, and if it fails use --uninstall: ${visible(problem)}\n`,
          );
        }
      }
      done.push(one);
    } catch (error) {
      const { message } = failureOf(error);
      await capabilities.stderr.write(
        `${placeName(server.path)}: left alone, UNCONFINED: ${visible(message)}\n`,
      );
    }
  }
  const kept = (await readFormerEntries(file, capabilities)).filter(
    ({ path }) => !done.some(({ former }) => former.path.join('\0') === path.join('\0')),
  );
  const former = [...kept, ...done.map((one) => ({ file, ...one.former }))];
  await storeFormerEntries(file, former, capabilities);
  return done.flatMap(({ edits }) => edits);
}
