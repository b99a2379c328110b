import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs with a directory that is gone afterwards. */
export async function withDirectory<Result>(
  run: (directory: string) => Promise<Result>,
): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'bulkhead-bench-'));
  try {
    return await run(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A plugin with one tool, `echo`, in that directory. */
export function writeEcho(directory: string, id: string): void {
  writeTools(directory, id, ECHO);
}

const ECHO =
  "export const tools = [{ id: 'echo', name: 'Echo', description: 'Says it again', annotations: { readOnlyHint: true }, parameters: { type: 'object', properties: { text: { type: 'string' } } }, execute: async (input) => input }];";

/** A plugin with the tools of that source, and the permissions that its manifest writes. */
export function writeTools(
  directory: string,
  id: string,
  source: string,
  permissions: object = {},
): void {
  mkdirSync(directory, { recursive: true });
  const manifest = {
    manifestVersion: 1,
    id,
    name: id,
    pandora: '>=1',
    provides: { tools: { entry: 'index.js', permissions } },
  };
  writeFileSync(join(directory, 'pandora.manifest.json'), JSON.stringify(manifest));
  writeFileSync(join(directory, 'index.js'), source);
}

/** A plugin with a hook, and a tool named after it: of two tools of one name only the first counts. */
export function writeHook(directory: string, name: string, source: string): string {
  mkdirSync(join(directory, 'hooks'), { recursive: true });
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ name, version: '1.0.0' }));
  writeFileSync(join(directory, 'hooks/user-prompt-submit.ts'), source);
  mkdirSync(join(directory, 'tools'), { recursive: true });
  writeFileSync(join(directory, `tools/echo_${name}.ts`), VELLUM_ECHO);
  return directory;
}

const VELLUM_ECHO = `export default {
  input_schema: { type: 'object' },
  execute: async ({ city, s }) => ({ content: JSON.stringify({ ok: true, len: s ? s.length : 0, city }), isError: false }),
};`;
