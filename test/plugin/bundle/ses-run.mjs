// Evaluates bundles as a guest does: locked down, each in a compartment with a plugin's globals.
// Reads jobs as lines of JSON (see `SesJob` in fixture.ts), and writes one line for each with the
// result of the exported function `call`.
import { createInterface } from 'node:readline';
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

// SES removes these, because they are a channel between compartments. A guest has one plugin.
const floats = { Float32Array: harden(Float32Array), Float64Array: harden(Float64Array) };

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await run(JSON.parse(line)))}\n`);
}
// Exits even if a bundle left timers running.
process.stdout.write('', () => process.exit(0));

async function run(job) {
  const logs = [];
  const compartment = new Compartment({ globals: globalsOf(job, logs), __options__: true });
  fixGlobals(compartment.globalThis, job.writable ?? []);
  try {
    const make = compartment.evaluate(`${job.code}\n//# sourceURL=bulkhead:test`);
    const modules = Object.entries(job.modules ?? {}).map(([name, source]) => [
      name,
      compartment.evaluate(source),
    ]);
    const namespace = await make({
      modules: Object.fromEntries(modules),
      dependencies: dependenciesOf(job, compartment.globalThis),
      importRefused: async (specifier) => {
        throw new Error(`import of ${String(specifier)} is refused`);
      },
    });
    const value =
      job.call === undefined ? undefined : await namespace[job.call](...(job.args ?? []));
    return { ok: true, exports: Object.keys(namespace).toSorted(), value, logs };
  } catch (error) {
    return {
      ok: false,
      name: error?.name,
      message: String(error?.message ?? error),
      code: error?.code,
      stack: error instanceof Error ? getStackString(error) : undefined,
      logs,
    };
  }
}

/** Code of dependencies gets fixed values for a clock and numbers that are refused. */
function dependenciesOf(job, globals) {
  const FixedDate = function (...parts) {
    return Reflect.construct(Date, parts.length === 0 ? [0] : parts);
  };
  FixedDate.prototype = Date.prototype;
  FixedDate.now = () => 0;
  FixedDate.UTC = Date.UTC;
  const fixedMath = Object.create(Math, { random: { value: () => 0.25 } });
  return {
    Date: job.time === true ? globals.Date : FixedDate,
    Math: job.random === true ? globals.Math : fixedMath,
    performance: { now: () => 0 },
    globalThis: new Proxy(
      {},
      {
        get: (_, name) =>
          name === 'Date' && job.time !== true ? FixedDate : Reflect.get(globals, name),
        has: (_, name) => Reflect.has(globals, name),
        set: (_, name, value) => Reflect.set(globals, name, value),
      },
    ),
  };
}

function globalsOf(job, logs) {
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
    setTimeout: (callback, delay, ...args) =>
      setTimeout(callback, delay, ...args)[Symbol.toPrimitive](),
    clearTimeout: (handle) => clearTimeout(handle),
    setInterval: (callback, delay, ...args) =>
      setInterval(callback, delay, ...args)[Symbol.toPrimitive](),
    clearInterval: (handle) => clearInterval(handle),
    atob: (text) => atob(text),
    btoa: (text) => btoa(text),
    queueMicrotask: (callback) => queueMicrotask(callback),
    ...floats,
  };
  if (job.files !== undefined) {
    globals.readFile = async (path) => {
      if (job.files[path] === undefined) throw new Error(`no such file: ${path}`);
      return job.files[path];
    };
  }
  if (job.env !== undefined) globals.env = { get: (name) => job.env[name] };
  if (job.time === true) Object.assign(globals, { Date, Intl });
  if (job.fetch === true) {
    const answer = { status: 200, ok: true, text: async () => 'fetched' };
    globals.fetch = async (url) => ({ ...answer, url: String(url) });
  }
  if (job.random === true) globals.Math = Object.create(Math, { random: { value: () => 0.5 } });
  return globals;
}

function fixGlobals(globals, writable) {
  for (const name of Reflect.ownKeys(globals)) {
    const property = Reflect.getOwnPropertyDescriptor(globals, name);
    if (property.configurable !== true || writable.includes(name)) continue;
    const isData = 'value' in property;
    Object.defineProperty(globals, name, {
      ...property,
      configurable: false,
      ...(isData ? { writable: false } : {}),
    });
  }
}
