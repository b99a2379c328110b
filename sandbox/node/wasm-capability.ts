import type { WasmCapability } from '../endowments/endowment.js';

/** The part of the platform that is used. `--jitless` takes it from the platform. */
interface Platform {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
  readonly Memory: new (size: { readonly initial: number; readonly maximum: number }) => {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  };
}

/** Captures WebAssembly before it is removed. `undefined` if this process runs without it. */
export function makeWasmCapability(realm: object): WasmCapability | undefined {
  const platform: unknown = Reflect.get(realm, 'WebAssembly');
  if (!isPlatform(platform)) return undefined;
  const { Module, Instance, Memory } = platform;
  const compiled = new Map<string, object>();
  return {
    isCompiled: (name) => compiled.has(name),
    compile: (name, code) => void compiled.set(name, new Module(code)),
    start: (name, imports, { initial, maximum }) => {
      const module = compiled.get(name);
      if (module === undefined) throw new Error(`${name} is not compiled`);
      const memory = new Memory({ initial, maximum });
      const { env, ...others } = imports;
      const { exports } = new Instance(module, { ...others, env: { ...env, memory } });
      return {
        exports,
        memory: () => memory.buffer,
        grow: (pages) => {
          try {
            memory.grow(pages);
            return true;
          } catch {
            return false;
          }
        },
      };
    },
    wrap: (code, functions) => new Instance(new Module(code), { host: functions }).exports,
  };
}

function isPlatform(value: unknown): value is Platform {
  return typeof value === 'object' && value !== null && 'Instance' in value && 'Memory' in value;
}
