import { fileRefusal, offer } from './denied.js';
import { Dirent, Stats, type Operation, operations } from './fs-operations.js';
import { builtin as promises, waiting } from './fs-promises.js';
import { toPath } from './fs-arguments.js';
import { linkedFiles } from './linked-files.js';
import { fsConstants } from './os-constants.js';

/** A guest copies files for synchronous code only if the bundle contains this marker. */
const AT_ONCE = 'bulkhead:files-at-once';

/** Runs an operation on the guest's copy. */
function runNow(
  name: string,
  operation: (...args: unknown[]) => Operation,
  args: unknown[],
): unknown {
  const files = linkedFiles();
  // guard: package-without-files-goes-on
  if (files === undefined) throw fileRefusal('fs', `${name}Sync`, args[0]);
  const steps = operation(...args);
  let step = steps.next(AT_ONCE);
  while (step.done !== true) {
    let answer: unknown;
    try {
      answer = step.value(files.now);
    } catch (error) {
      step = steps.throw(error);
      continue;
    }
    step = steps.next(answer);
  }
  return step.value;
}

const now = Object.fromEntries(
  Object.entries(operations).map(([name, operation]) => [
    `${name}Sync`,
    (...args: unknown[]): unknown => runNow(name, operation, args),
  ]),
);

const calling = Object.fromEntries(
  Object.entries(waiting).map(([name, wait]) => [
    name,
    (...args: unknown[]): void => {
      const callback = args.pop();
      if (typeof callback !== 'function') {
        throw new TypeError('The last argument must be a function');
      }
      wait(...args).then(
        (answer) => callback(null, answer),
        (error: unknown) => callback(error),
      );
    },
  ]),
);

/** Whether a visible file exists. `false` for every other path. */
function existsSync(path: unknown): boolean {
  try {
    linkedFiles()?.now.stat(toPath(path));
    return linkedFiles() !== undefined;
  } catch {
    return false;
  }
}

/** `node:fs`: the plugin's own files, and the files that it may read. */
export const builtin: object = offer('fs', {
  ...fsConstants,
  ...calling,
  ...now,
  constants: fsConstants,
  promises,
  existsSync,
  exists: (path: unknown, callback: (there: boolean) => void): void => {
    (waiting['stat'] ?? nowhere)(path).then(
      () => callback(true),
      () => callback(false),
    );
  },
  Stats,
  Dirent,
});

function nowhere(): Promise<never> {
  return Promise.reject(fileRefusal('fs', 'exists', undefined));
}
