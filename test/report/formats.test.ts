import { Ajv } from 'ajv';
import ajvFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reportFormats, textParts } from '../../src/report/formats.js';
import { renderMarkdown } from '../../src/report/markdown.js';
import { renderSarif } from '../../src/report/sarif.js';
import { ROOT } from '../architecture/sources.js';
import { HOSTILE, hostileReport } from './hostile.js';
import { sampleReport } from './sample.js';

const addFormats = ajvFormats as unknown as (ajv: object) => void;

function readJson(path: string): object {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as object;
}

/** All that `visible` escapes, but for line breaks. */
const STEERS = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

describe('the report as JSON', () => {
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
  addFormats(ajv);
  const fits = ajv.compile(readJson('docs/report.schema.json'));

  it.each([
    ['of three plugins', sampleReport],
    ['of hostile names', hostileReport],
    ['of nothing', () => sampleReport({ plugins: [], log: null })],
  ])('fits its schema: %s', async (_, make) => {
    const report: unknown = JSON.parse(JSON.stringify(await make()));
    fits(report);
    expect(fits.errors ?? []).toEqual([]);
  });
});

describe('the report as JSON, as it is written', () => {
  it('has no character that steers a terminal', async () => {
    const report = await hostileReport();
    const text = reportFormats.json.render(report);
    expect(text).not.toMatch(STEERS);
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(report)));
  });
});

describe('the report as SARIF', () => {
  // As Microsoft's SARIF tools for Jest ship it (MIT).
  const ajv = new Ajv({ allErrors: true, strict: false, unicodeRegExp: false });
  addFormats(ajv);
  const official = Object.entries(readJson('test/report/sarif-2.1.0-rtm.5.json'));
  // Its own name is of a draft that ajv no longer reads; what it says is the same in both.
  const fits = ajv.compile(
    Object.fromEntries(official.filter(([key]) => key !== 'id' && key !== '$schema')),
  );

  it.each([
    ['of three plugins', sampleReport],
    ['of hostile names', hostileReport],
  ])('fits the schema of SARIF 2.1.0: %s', async (_, make) => {
    const sarif: unknown = JSON.parse(renderSarif(await make()));
    fits(sarif);
    expect(fits.errors ?? []).toEqual([]);
  });

  it('has each finding at its line, under a rule that it explains', async () => {
    const { runs } = JSON.parse(renderSarif(await sampleReport())) as Sarif;
    const [run] = runs;
    const refused = run?.results.filter(({ ruleId }) => ruleId === 'BH-DENIED-ATTEMPT');
    expect(refused?.[0]?.locations[0]?.physicalLocation).toEqual({
      artifactLocation: { uri: 'src/telemetry.ts', uriBaseId: 'PLUGIN' },
      region: { startLine: 41, startColumn: 12 },
    });
    for (const { ruleId, ruleIndex } of run?.results ?? []) {
      expect(run?.tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
    }
  });

  it('has paths that are relative to the working directory, and the version', async () => {
    const text = renderSarif(await sampleReport(), { version: '1.2.3', base: '/srv' });
    expect(text).not.toContain('file:');
    const { runs } = JSON.parse(text) as Sarif;
    expect(runs[0]?.tool.driver).toMatchObject({ version: '1.2.3' });
    const [denied] = runs[0]?.results ?? [];
    expect(denied?.locations[0]?.physicalLocation).toMatchObject({
      artifactLocation: { uri: 'plugins/shady/src/telemetry.ts', uriBaseId: 'SRCROOT' },
    });
  });

  it('names the line of the manifest', async () => {
    const manifest = '{\n  "permissions": {\n    "network": ["*.cdn.example.net"]\n  }\n}';
    const report = await sampleReport({ manifests: new Map([['shady', manifest]]) });
    const place = (rule: string): unknown =>
      report.findings.find((one) => one.plugin === 'shady' && one.rule === rule)?.place;
    expect(place('BH-PERM-WIDE')).toEqual({ file: 'pandora.manifest.json', line: 3, column: 17 });
    expect(place('BH-RISK-UNDERSTATED')).toMatchObject({ line: 2 });
  });

  it('keeps a finding the same while the code round it moves', async () => {
    const prints = async (make: typeof sampleReport): Promise<string[]> => {
      const { runs } = JSON.parse(renderSarif(await make())) as Sarif;
      return runs.flatMap(({ results }) =>
        results.map((one) => JSON.stringify(one.partialFingerprints)),
      );
    };
    const all = await prints(sampleReport);
    expect(new Set(all).size).toBe(all.length);
    expect(await prints(sampleReport)).toEqual(all);
  });

  it('has no link that a name has put there, and no character that steers a terminal', async () => {
    const text = renderSarif(await hostileReport());
    expect(text).not.toMatch(STEERS);
    const { runs } = JSON.parse(text) as Sarif;
    const messages = runs.flatMap(({ results }) => results.map(({ message }) => message.text));
    expect(messages.some((message) => message.includes('javascript:alert'))).toBe(true);
    for (const message of messages) {
      expect(message.replaceAll(/\\./g, '')).not.toMatch(/[[\]]/);
      expect(message).not.toMatch(STEERS);
    }
  });

  it('marks a finding that a person answers for as suppressed', async () => {
    const report = await sampleReport({
      exceptions: [
        {
          rule: 'BH-PERM-WIDE',
          plugin: 'shady',
          subject: undefined,
          reason: 'their servers move',
          owner: 'ada',
          until: '2026-12-31',
        },
      ],
    });
    const { runs } = JSON.parse(renderSarif(report)) as Sarif;
    const wide = runs[0]?.results.find(({ ruleId }) => ruleId === 'BH-PERM-WIDE');
    expect(wide?.suppressions).toMatchObject([
      { justification: 'their servers move (ada, until 2026-12-31)' },
    ]);
  });
});

interface Sarif {
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
    readonly results: readonly {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly message: { readonly text: string };
      readonly partialFingerprints: object;
      readonly suppressions?: readonly object[];
      readonly locations: readonly { readonly physicalLocation: object }[];
    }[];
  }[];
}

describe('the report as Markdown', () => {
  it('has no link, image, tag or cell that a name has put there', async () => {
    // What stands between backticks is shown as it is.
    const text = renderMarkdown(await hostileReport()).replaceAll(/`[^`\n]*`/g, '');
    expect(text).not.toMatch(/(?<!\\)<(?:img|script|svg)/i);
    expect(text).not.toMatch(/(?<!\\)!?\[[^\]]*(?<!\\)\]\(/);
    // Readers make links of what looks like an address, and call who stands after an @.
    expect(text).not.toMatch(/https?:\/\/|www\.|@(?!<!-- -->)/i);
    const rows = text.split('\n').filter((line) => line.startsWith('| BH-'));
    for (const row of rows) expect(row.replaceAll(/\\./g, '').split('|')).toHaveLength(7);
    expect(rows.length).toBeGreaterThan(HOSTILE.length);
  });

  it('says what was found, and what each plugin may do and does', async () => {
    const text = renderMarkdown(await sampleReport());
    expect(text).toContain('## Instant Translator PRO (`shady`)');
    expect(text).toMatch(/\| network api.openweathermap.org \| yes \| yes \| 208 times \|/);
  });
});

describe('the report on a terminal', () => {
  it('has no character that steers it', async () => {
    const cells = textParts(await hostileReport()).flatMap(({ title, rows }) => [
      title,
      ...rows.flat(),
    ]);
    expect(cells.length).toBeGreaterThan(50);
    expect(cells.filter((cell) => /[\p{Cc}\p{Cf}]/u.test(cell))).toEqual([]);
  });
});
