import { execFileSync } from 'node:child_process';

/** Bun's binary. */
export const BUN = process.env['BULKHEAD_BUN'] ?? 'bun';

/** Why Bun cannot run here; `undefined` if it can. */
export function missingBun(): string | undefined {
  try {
    execFileSync(BUN, ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return `Bun does not run as ${BUN}. Install it and name its binary with BULKHEAD_BUN`;
  }
}
