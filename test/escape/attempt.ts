import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeCache } from '../run-directory.js';
import { afterEachFile } from '../tidying.js';
import {
  type BulkheadEvent,
  createEngine,
  type Engine,
  type EngineOptions,
} from '../../src/index.js';
import { ROOT } from '../architecture/sources.js';
import { MAX_BLOCKED_MS, MAX_GROWTH_MB, watchHost } from './host-watch.js';
import type { Verdict } from './verdicts.js';

/** One attack: what it tries, the tool of the hostile plugin that tries it, and what has to come of it. */
export interface Attempt {
  /** Completes "It tries …, in vain": the title of the test. */
  readonly tries: string;
  readonly tool: string;
  /** The tool's input, or what makes it once the stage is set. */
  readonly input?: object | (() => object);
  readonly deadlineMs?: number;
  readonly verdict: Verdict;
}

export interface Stage {
  /** A plugin of `fixtures/hostile`. */
  readonly hostile: string;
  /** What its engine is made with besides; asked for once, before the first attempt. */
  readonly options?: () => Partial<EngineOptions> | Promise<Partial<EngineOptions>>;
  /** The hostile plugin's id, where it is not its directory's name. */
  readonly id?: string;
  /** Whether each of its tools is an attempt. Default: true. */
  readonly complete?: boolean;
  /** Whether the hostile plugin's next call works whatever it tried. Default: true. */
  readonly comesBack?: boolean;
}

/** The tool of every hostile plugin that does no harm: whether the plugin still runs. */
const HARMLESS = 'breathe';

const DEADLINE_MS = 2_000;

/**
 * Loads a hostile plugin with all that it declares, and returns a function that runs one attempt. Meanwhile
 * the host keeps working, and the next call of the same plugin succeeds.
 * An attempt of the plugin that no test makes is a failure too.
 */
export function stage({
  hostile,
  id = hostile,
  options,
  complete = true,
  comesBack = true,
}: Stage): (attempt: Attempt) => void {
  let engine: Engine | undefined;
  const events: BulkheadEvent[] = [];
  const made = new Set([HARMLESS]);

  beforeAll(async () => {
    const given = await options?.();
    engine = await openEngine({
      plugins: [fixture(hostile)],
      grant: 'declared',
      onEvent: (event) => events.push(event),
      ...given,
      // Hostile plugins crash as often as they like: quarantine has tests of its own.
      limits: { loadTimeoutMs: 5_000, pool: 1, maxCrashes: 10_000, ...given?.limits },
    });
  });

  afterAll(async () => {
    const tools = engine?.catalog.list().map(({ tool }) => tool) ?? [];
    await engine?.close();
    if (complete) expect(tools.filter((tool) => !made.has(tool))).toEqual([]);
  });

  return ({ tries, tool, input = {}, deadlineMs = DEADLINE_MS, verdict }) => {
    made.add(tool);
    it(`it tries ${tries}, in vain`, async () => {
      if (engine === undefined) throw new Error('the stage is not set');
      const given: unknown = typeof input === 'function' ? input() : input;
      events.length = 0;
      const host = await watchHost();
      const began = performance.now();
      const result = await engine.call(`${id}:${tool}`, given, { timeoutMs: deadlineMs });
      const elapsedMs = performance.now() - began;
      const { blockedMs, grownMb } = await host.stop();
      await verdict({ engine, result, elapsedMs, deadlineMs, events });
      expect(blockedMs).toBeLessThan(MAX_BLOCKED_MS);
      expect(grownMb).toBeLessThan(MAX_GROWTH_MB);
      if (comesBack) await expectBreath(engine, id);
    });
  };
}

const directories: string[] = [];
afterEachFile(() => {
  for (const directory of directories.splice(0))
    rmSync(directory, { recursive: true, force: true });
});

/** A directory of this test file's own, until its end. */
export function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), 'bulkhead-escape-'));
  directories.push(directory);
  return directory;
}

/** An engine that keeps nothing after the test, and says nothing. */
export function openEngine(options: EngineOptions): Promise<Engine> {
  return createEngine({
    cacheDirectory: makeCache(temporary()),
    storageDirectory: temporary(),
    logger: silent,
    env: {},
    ...options,
    limits: { pool: 0, ...options.limits },
  });
}

export async function expectBreath(engine: Engine, id: string): Promise<void> {
  const { value, content } = await engine.call(`${id}:${HARMLESS}`, {});
  expect({ value, content }).toMatchObject({ value: 'still here' });
}

export function fixture(hostile: string): string {
  return join(ROOT, 'fixtures/hostile', hostile);
}

const nothing = (): void => {};
const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };
