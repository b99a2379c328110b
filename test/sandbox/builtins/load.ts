/** A stand-in for one of Node's modules, with the packages behind it, as plugins' bundles get it. */
export async function loadBuiltin<Module>(file: string): Promise<Module> {
  const path = new URL(`../../../dist/sandbox/bundled-builtins/${file}.js`, import.meta.url).href;
  const { builtin } = await import(/* @vite-ignore */ path);
  return builtin;
}
