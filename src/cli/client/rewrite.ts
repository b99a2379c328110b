import { isRecord } from '../../../sandbox/wire/json.js';
import { visible } from '../../visible.js';
import type { CliCapabilities } from '../capabilities.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { usageError } from '../failure.js';
import { type FileEdit, withEdits } from './client-file.js';
import type { Client } from './clients.js';

/** A client's file as it was read. */
export interface ClientFile {
  readonly client: Client;
  /** The file itself, if the client's path is a link. */
  readonly file: string;
  /** Empty if there is no file. */
  readonly before: string;
}

export async function readClientFile(
  client: Client,
  capabilities: Pick<CliCapabilities, 'realPath' | 'readFile'>,
): Promise<ClientFile> {
  const file = await capabilities.realPath(client.file);
  return { client, file, before: await readIfThere(file, capabilities) };
}

export interface Rewrite {
  /** The option, for errors. */
  readonly option: string;
  /** Write without asking. */
  readonly accept: boolean | undefined;
  readonly edits: readonly FileEdit[];
  /** What the person sees before the question. */
  readonly shown: string;
  /**
   * Called after the yes, before the file is written; returns the edits that are written. Default: all.
   */
  readonly prepare?: () => Promise<readonly FileEdit[]>;
}

/** Shows the change of a client's file, asks, and replaces the file in one step, with a backup. */
export async function rewriteClient(
  { client, file, before }: ClientFile,
  { option, accept, edits, shown, prepare }: Rewrite,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const { stdout, replaceText } = capabilities;
  if (edits.length === 0 || withEdits(before, edits) === before) {
    await stdout.write(`${client.title} needs no change: ${visible(file)}\n`);
    return EXIT.ok;
  }
  await stdout.write(`${client.title}: ${visible(file)}\n${shown}`);
  if (!(await isAccepted(accept, capabilities))) {
    await stdout.write('Nothing was changed. Add --accept to write it.\n');
    return EXIT.findings;
  }
  const after = withEdits(before, (await prepare?.()) ?? edits);
  if (after === before) {
    await stdout.write('Nothing was changed.\n');
    return EXIT.findings;
  }
  const backup = `${file}.before-bulkhead`;
  if (before !== '') await replaceText(backup, before);
  // guard: client-file-unchanged-since-shown
  if ((await readIfThere(file, capabilities)) !== before) {
    throw usageError(
      option,
      `${client.title} changed ${visible(file)} meanwhile. Quit it, and run the command again.`,
    );
  }
  await replaceText(file, after);
  await stdout.write(
    `Written.${before === '' ? '' : ` The former file is ${visible(backup)}.`} ${client.next}\n`,
  );
  return EXIT.ok;
}

/** Whether an entry starts this installation of Bulkhead. */
export function isOurs(
  entry: unknown,
  { ownCommand }: Pick<CliCapabilities, 'ownCommand'>,
): boolean {
  if (!isRecord(entry) || !Array.isArray(entry['args'])) return false;
  const [main, command] = entry['args'];
  return main === ownCommand.args[0] && (command === 'run' || command === 'mcp');
}

/** The command line of an entry, as untrusted text. */
export function commandLine(entry: unknown): string {
  if (!isRecord(entry)) return visible(JSON.stringify(entry) ?? '');
  const args = Array.isArray(entry['args']) ? entry['args'] : [];
  return [entry['command'], ...args].map((word) => visible(String(word))).join(' ');
}

async function isAccepted(
  accept: boolean | undefined,
  { ask, interrupted }: CliCapabilities,
): Promise<boolean> {
  if (accept === true) return true;
  const answer = await ask?.('Write this? [y/N] ', interrupted);
  return /^y(?:es)?$/i.test(answer?.trim() ?? '');
}

/** The empty text if there is no file. */
async function readIfThere(
  path: string,
  { readFile }: Pick<CliCapabilities, 'readFile'>,
): Promise<string> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
