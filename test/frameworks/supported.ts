import { readFileSync } from 'node:fs';
import { satisfies } from 'semver';
import { expect, it } from 'vitest';

/** Defines the tests if a package of this folder supports this Node. Else prints a line and skips them. */
export async function ifSupported(name: string, define: () => Promise<void>): Promise<void> {
  const path = new URL(`node_modules/${name}/package.json`, import.meta.url);
  const { version, engines }: { version: string; engines?: { node?: string } } = JSON.parse(
    readFileSync(path, 'utf8'),
  );
  const wanted = engines?.node ?? '*';
  if (satisfies(process.versions.node, wanted)) return define();
  const line = `${name} ${version} needs Node ${wanted}, and this is ${process.versions.node}`;
  process.stderr.write(`\nSKIPPED: ${line}. Run: npm run test:adapters -- --node 24\n\n`);
  // A file without tests fails.
  it.skipIf(true)(`is not tested: ${line}`, () => {
    expect.unreachable();
  });
}
