import { randomUUID } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { BulkheadError } from '../../errors.js';
import { integrityOf } from '../integrity.js';
import type { Bundle } from '../plugin.js';
import { stampOf } from './evidence.js';
import { type Built, parseBuilt } from './parse-built.js';

/**
 * A bundle on disk is two files: its texts, and what is to be known of it before it runs. An engine
 * reads the second when it starts, a few kilobytes, and the first when a guest needs the code.
 * Everything here is read at once: handed to the thread pool each read would take ten times as long,
 * and an engine with a thousand plugins makes a thousand of them.
 */
export function readKept(file: string): Built | undefined {
  try {
    const text = readFileSync(headOf(file), 'utf8');
    const end = text.indexOf('\n');
    const rest = text.slice(end + 1);
    if (integrityOf(rest) !== text.slice(0, end)) return undefined;
    const { built, stamp } = JSON.parse(rest);
    const parsed = parseBuilt(built);
    if (parsed === undefined || stampNow(textsOf(file)) !== stamp) return undefined;
    return { ...parsed, bundle: new KeptBundle(parsed.bundle, textsOf(file)) };
  } catch {
    return undefined;
  }
}

/** Writes beside each file and renames, so that nobody ever reads half of one. Never rejects. */
export async function keepBuilt(directory: string, file: string, built: Built): Promise<void> {
  const { bundle, evidence } = built;
  const { code, sourceMap, ...known } = bundle;
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await replaceFile(textsOf(file), JSON.stringify({ code, sourceMap }));
    const rest = JSON.stringify({
      built: { bundle: { ...known, code: '', sourceMap: '' }, evidence },
      stamp: stampNow(textsOf(file)),
    });
    await replaceFile(headOf(file), `${integrityOf(rest)}\n${rest}`);
  } catch {
    // What cannot be kept is only made again.
  }
}

function headOf(file: string): string {
  return `${file}.json`;
}

function textsOf(file: string): string {
  return `${file}.texts.json`;
}

function stampNow(path: string): string {
  return stampOf(lstatSync(path, { bigint: true }));
}

/** Its texts are read, and compared with its hash, when one is first asked for. */
class KeptBundle implements Bundle {
  readonly hash: Bundle['hash'];
  readonly assignedGlobals: Bundle['assignedGlobals'];
  readonly inputs: Bundle['inputs'];
  readonly warnings: Bundle['warnings'];
  readonly broken: Bundle['broken'];
  readonly #file: string;
  #texts: Texts | undefined;

  constructor({ hash, assignedGlobals, inputs, warnings, broken }: Bundle, file: string) {
    this.hash = hash;
    this.assignedGlobals = assignedGlobals;
    this.inputs = inputs;
    this.warnings = warnings;
    this.broken = broken;
    this.#file = file;
  }

  get code(): string {
    return this.#read().code;
  }

  get sourceMap(): string {
    return this.#read().sourceMap;
  }

  #read(): Texts {
    return (this.#texts ??= readTexts(this.#file, this.hash));
  }
}

type Texts = Pick<Bundle, 'code' | 'sourceMap'>;

function readTexts(file: string, hash: string): Texts {
  try {
    const { code, sourceMap } = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof code === 'string' && typeof sourceMap === 'string' && integrityOf(code) === hash) {
      return { code, sourceMap };
    }
  } catch {
    // Told below: a file that cannot be read is as good as one that was changed.
  }
  throw new BulkheadError(
    'BUNDLE_FAILED',
    `The kept bundle ${file} is gone or was changed while the engine ran. Call engine.reload(): the bundle is then made again.`,
    { problems: [] },
  );
}

async function replaceFile(path: string, text: string): Promise<void> {
  const beside = `${path}.${randomUUID()}`;
  try {
    await writeFile(beside, text, { mode: 0o600 });
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined);
    throw error;
  }
}
