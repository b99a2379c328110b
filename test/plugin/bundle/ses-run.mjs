// Evaluates a bundle as a guest does: locked down, with a plugin's globals, which are fixed before
// the first evaluate. Reads `{ code, call, args, files, env, time, modules, writable }` as JSON from
// stdin and prints what the exported function `call` gave.
import 'ses';

lockdown({
  errorTaming: 'safe',
  errorTrapping: 'none',
  unhandledRejectionTrapping: 'none',
  reporting: 'none',
  consoleTaming: 'safe',
  regExpTaming: 'safe',
  localeTaming: 'safe',
  overrideTaming: 'severe',
  overrideDebug: [],
  stackFiltering: 'verbose',
  evalTaming: 'safe-eval',
  domainTaming: 'safe',
  legacyRegeneratorRuntimeTaming: 'safe',
  __hardenTaming__: 'safe',
});

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const job = JSON.parse(Buffer.concat(chunks).toString('utf8'));

const logs = [];
const log = (...args) => void logs.push(args.map(String).join(' '));
const globals = {
  console: { log, info: log, warn: log, error: log, debug: log },
  URL,
  URLSearchParams,
  TextEncoder,
  TextDecoder,
  AbortController,
  AbortSignal,
  // Handles are opaque, as they are in a guest.
  setTimeout: (callback, delay, ...args) => Number(setTimeout(callback, delay, ...args)),
  clearTimeout: (handle) => clearTimeout(handle),
  setInterval: (callback, delay, ...args) => Number(setInterval(callback, delay, ...args)),
  clearInterval: (handle) => clearInterval(handle),
  atob: (text) => atob(text),
  btoa: (text) => btoa(text),
  queueMicrotask: (callback) => queueMicrotask(callback),
};
// SES withholds them for a channel between compartments; here there is only one.
Object.assign(globals, { Float32Array: harden(Float32Array), Float64Array: harden(Float64Array) });
if (job.files !== undefined) {
  globals.readFile = async (path) => {
    // SES withholds them for a channel between compartments; here there is only one.
    Object.assign(globals, {
      Float32Array: harden(Float32Array),
      Float64Array: harden(Float64Array),
    });
    if (job.files[path] === undefined) throw new Error(`no such file: ${path}`);
    return job.files[path];
  };
}
if (job.env !== undefined) globals.env = { get: (name) => job.env[name] };
if (job.time === true) Object.assign(globals, { Date, Intl });
if (job.fetch === true) {
  globals.fetch = async (url) => ({
    status: 200,
    ok: true,
    url: String(url),
    text: async () => 'fetched',
  });
}
if (job.random === true) globals.Math = Object.create(Math, { random: { value: () => 0.5 } });

const compartment = new Compartment({ globals, __options__: true });
for (const name of Reflect.ownKeys(compartment.globalThis)) {
  const property = Reflect.getOwnPropertyDescriptor(compartment.globalThis, name);
  if (property.configurable !== true || job.writable?.includes(name)) continue;
  Object.defineProperty(
    compartment.globalThis,
    name,
    'value' in property
      ? { ...property, writable: false, configurable: false }
      : { ...property, configurable: false },
  );
}

let answer;
try {
  const make = compartment.evaluate(`${job.code}\n//# sourceURL=bulkhead:test`);
  const namespace = await make({
    modules: Object.fromEntries(
      Object.entries(job.modules ?? {}).map(([name, source]) => [
        name,
        compartment.evaluate(source),
      ]),
    ),
    importRefused: async (specifier) => {
      throw new Error(`import of ${String(specifier)} is refused`);
    },
  });
  const called =
    job.call === undefined ? undefined : await namespace[job.call](...(job.args ?? []));
  answer = { ok: true, exports: Object.keys(namespace).toSorted(), value: called };
} catch (error) {
  answer = {
    ok: false,
    name: error?.name,
    message: String(error?.message ?? error),
    code: error?.code,
    stack: error instanceof Error ? getStackString(error) : undefined,
  };
}
process.stdout.write(JSON.stringify({ ...answer, logs }), () => process.exit(0));
