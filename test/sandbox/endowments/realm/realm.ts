import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect } from 'vitest';
import type { WireFailure } from '../../../../sandbox/wire/messages.js';
import type { RealmCase, RealmOutcome } from './case.js';

/** How the tests of one file run plugin code: in one realm, a compartment for each. */
export interface RealmRunner {
  run(code: string, spec?: Omit<RealmCase, 'code'>): Promise<RealmOutcome>;
  /** What the code returns; it must not throw. */
  value(code: string, spec?: Omit<RealmCase, 'code'>): Promise<unknown>;
  /** What the code throws; it must throw. */
  failure(code: string, spec?: Omit<RealmCase, 'code'>): Promise<WireFailure>;
}

export function useRealm(): RealmRunner {
  let realm: Realm | undefined;
  beforeAll(async () => {
    realm = await startRealm();
  });
  afterAll(() => realm?.[Symbol.asyncDispose]());
  const run: RealmRunner['run'] = async (code, spec = {}) => {
    if (realm === undefined) throw new Error('the realm has not started');
    return realm.run({ ...spec, code });
  };
  return {
    run,
    value: async (code, spec) => {
      const { value, failure } = await run(code, spec);
      expect(failure).toBeUndefined();
      return value;
    },
    failure: async (code, spec) => {
      const { value, failure } = await run(code, spec);
      if (failure === undefined) throw new Error(`it returned ${JSON.stringify(value)}`);
      return failure;
    },
  };
}

/** A process that is locked down as guests are, in which plugin code meets the real endowments. */
interface Realm extends AsyncDisposable {
  run(spec: RealmCase): Promise<RealmOutcome>;
}

async function startRealm(): Promise<Realm> {
  const directory = mkdtempSync(join(tmpdir(), 'bulkhead-realm-'));
  const outfile = join(directory, 'realm.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('entry.ts', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  });
  const guest = spawn(process.execPath, ['--expose-gc', outfile], {
    env: { TZ: 'UTC', LANG: 'C', LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: guest.stdout })[Symbol.asyncIterator]();
  return {
    run: async (spec) => {
      guest.stdin.write(`${JSON.stringify(spec)}\n`);
      const line = await lines.next();
      if (line.done === true) throw new Error('the realm died');
      return JSON.parse(line.value);
    },
    [Symbol.asyncDispose]: async () => {
      const ended = once(guest, 'close');
      guest.stdin.end();
      await ended;
      rmSync(directory, { recursive: true });
    },
  };
}
