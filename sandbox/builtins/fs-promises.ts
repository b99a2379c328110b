import { Buffer } from './buffer.js';
import { fileRefusal, offer } from './denied.js';
import { decode, toPath } from './fs-arguments.js';
import { type AnyFiles, type Operation, operations } from './fs-operations.js';
import { linkedFiles } from './linked-files.js';
import { fsConstants } from './os-constants.js';
import { WORKING_DIRECTORY } from './path.js';
import { compartmentGlobal } from './compartment-globals.js';

/** Runs an operation and awaits each answer. */
async function run(files: AnyFiles, operation: Operation): Promise<unknown> {
  let step = operation.next();
  while (step.done !== true) {
    let answer: unknown;
    try {
      answer = await step.value(files);
    } catch (error) {
      step = operation.throw(error);
      continue;
    }
    step = operation.next(answer);
  }
  return step.value;
}

/** The functions of `fs.promises`. */
export const waiting: Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>> =
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [
      name,
      async (...args: unknown[]): Promise<unknown> => {
        const files = linkedFiles();
        if (files !== undefined) return run(files.later, operation(...args));
        if (name === 'readFile') return readByName(args[0], args[1]);
        throw fileRefusal('fs/promises', name, args[0]);
      },
    ]),
  );

/** The fallback over the compartment's own `readFile`: text, UTF-8. */
async function readByName(path: unknown, options: unknown): Promise<unknown> {
  const read = compartmentGlobal('readFile');
  if (read === undefined) throw fileRefusal('fs', 'readFile', path);
  const at = toPath(path);
  const own = `${WORKING_DIRECTORY}/`;
  const text = await read(at.startsWith(own) ? at.slice(own.length) : at);
  return decode(Buffer.from(text), options);
}

export const builtin: object = offer('fs/promises', { ...waiting, constants: fsConstants });
