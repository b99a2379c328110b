import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AT_ONCE } from '../../sandbox/host-power.js';
import { SPINDLE_LIMITS } from '../../sandbox/dialects/spindle/limits.js';
import { BROADCAST_BYTES } from '../../sandbox/wire/hooks.js';
import { FROM_GUEST, NOTICES_PER_SECOND } from '../../sandbox/wire/limits.js';
import { AUDIT_LIMITS } from '../../src/audit/record.js';
import {
  FILESYSTEM_LIMITS,
  NETWORK_LIMITS,
  POWER_LIMITS,
  STORAGE_LIMITS,
} from '../../src/brokers/limits.js';
import { HOOK_LIMITS } from '../../src/engine/hooks/transport.js';
import { DEFAULT_LIMITS, GUEST_LIMITS } from '../../src/engine/types/limits.js';
import { MAX_SEED_BYTES } from '../../src/engine/plugins/seed-storage.js';
import { SERVER_LIMITS, TOKEN_LIMITS } from '../../src/http/limits.js';
import { PROGRAM_LIMITS } from '../../src/engine/programs/program.js';
import { RECORDING_LIMITS } from '../../src/engine/recording/recording.js';
import { REMOTE_LIMITS } from '../../src/remotes/limits.js';
import { VELLUM_LIMITS } from '../../src/formats/vellum/limits.js';
import { SCHEMA_LIMITS } from '../../src/schema/check.js';
import { readText, ROOT } from '../architecture/sources.js';

const sections: Readonly<Record<string, object>> = {
  'Options: `limits.…`': DEFAULT_LIMITS,
  'What a guest may send': FROM_GUEST,
  'Inside the guest': { ...GUEST_LIMITS, ...AT_ONCE, NOTICES_PER_SECOND },
  Hooks: { ...HOOK_LIMITS, BROADCAST_BYTES },
  'A Vellum plugin': VELLUM_LIMITS,
  'A Spindle extension': { ...SPINDLE_LIMITS, MAX_SEED_BYTES },
  'The network broker': NETWORK_LIMITS,
  'The filesystem broker': FILESYSTEM_LIMITS,
  'The storage broker': STORAGE_LIMITS,
  "The host's powers": POWER_LIMITS,
  "A tool's JSON Schema": SCHEMA_LIMITS,
  'The audit log': AUDIT_LIMITS,
  'A record of a call': RECORDING_LIMITS,
  Programs: PROGRAM_LIMITS,
  'A server': SERVER_LIMITS,
  Tokens: TOKEN_LIMITS,
  'Tools that run elsewhere': REMOTE_LIMITS,
};

interface Row {
  readonly limit: string;
  readonly value: string;
  readonly stops: string;
  readonly test: string;
}

const documented = new Map(
  readText('docs/limits.md')
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.split('\n')[0] ?? '', rowsOf(section)] as const),
);

function rowsOf(section: string): Row[] {
  const row = /^\| `(?<limit>\w+)` +\| (?<value>.+?) +\| (?<stops>.+?) +\| `(?<test>.+?)` +\|$/gm;
  return [...section.matchAll(row)].map(({ groups = {} }) => groups as unknown as Row);
}

const UNITS: Readonly<Record<string, number>> = { '': 1, ms: 1, s: 1, KiB: 1024, MiB: 1024 ** 2 };

/** The unit in which a limit is documented, by the end of its name. */
function unitsOf(limit: string): readonly string[] {
  if (limit.endsWith('Ms')) return ['ms'];
  if (limit.endsWith('Seconds')) return ['s'];
  if (limit.endsWith('Mb')) return ['MiB'];
  if (/Bytes|BYTES|Text|UrlLength|Characters/.test(limit)) return ['KiB', 'MiB', ''];
  return [''];
}

function parseValue({ limit, value }: Row): number {
  const { digits = '', unit = '' } = /^(?<digits>[\d,]+) ?(?<unit>\w*)$/.exec(value)?.groups ?? {};
  if (!unitsOf(limit).includes(unit)) return NaN;
  return Number(digits.replaceAll(',', '')) * (limit.endsWith('Mb') ? 1 : (UNITS[unit] ?? NaN));
}

describe('docs/limits.md', () => {
  it('has one table for each group of limits, and no other', () => {
    expect([...documented.keys()]).toEqual(Object.keys(sections));
  });
});

describe.each(Object.entries(sections))('%s', (caption, limits) => {
  const rows = documented.get(caption) ?? [];

  it('names each limit of the code once, with its value', () => {
    expect(Object.fromEntries(rows.map((row) => [row.limit, parseValue(row)]))).toEqual(limits);
    expect(rows).toHaveLength(Object.keys(limits).length);
  });

  it('says what each limit stops, and which test shows it', () => {
    for (const { stops, test } of rows) {
      expect(stops.length).toBeGreaterThan(5);
      expect(existsSync(join(ROOT, test))).toBe(true);
    }
  });
});
