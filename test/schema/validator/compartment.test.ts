import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const program = fileURLToPath(new URL('compartment.mjs', import.meta.url));

/** Runs the cases in a locked-down process like a guest's, and returns one answer for each case. */
function validateInCompartment(
  cases: readonly { schema: unknown; inputs: readonly unknown[] }[],
): unknown[] {
  const input = cases.map((line) => JSON.stringify(line)).join('\n');
  const output = execFileSync(process.execPath, [program], { input, encoding: 'utf8' });
  return output
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}

describe('the validator in a compartment', () => {
  test('works without endowments', () => {
    const draft07 = 'http://json-schema.org/draft-07/schema#';
    const [city, draft, formats, broken] = validateInCompartment([
      {
        schema: {
          type: 'object',
          properties: { city: { type: 'string' }, days: { type: 'number', default: 3 } },
          required: ['city'],
        },
        inputs: [{ city: 'Oslo' }, { city: 1 }],
      },
      { schema: { $schema: draft07, items: [{ type: 'string' }] }, inputs: [['x'], [1]] },
      { schema: { format: 'date-time' }, inputs: ['2024-01-01T00:00:00Z', 'yesterday'] },
      { schema: { type: 'strng' }, inputs: [] },
    ]);
    expect(city).toMatchObject({
      answers: [
        { ok: true, value: { city: 'Oslo', days: 3 } },
        { ok: false, problems: ['city: must be string'] },
      ],
    });
    expect(draft).toMatchObject({ answers: [{ ok: true }, { ok: false }] });
    expect(formats).toMatchObject({ answers: [{ ok: true }, { ok: false }] });
    expect(broken).toMatchObject({ error: expect.stringContaining('strng') });
  });

  test('compiles names and constants that SES rejects in code', () => {
    const calls = [
      'import(',
      'import (',
      'import/*',
      'eval(',
      'eval (',
      '<!--',
      '-->',
      '"import("',
    ];
    const words = [...calls, 'import.source(', 'import . defer', 'the import. And', 'import.meta'];
    const cases = words.flatMap((word) => [
      { schema: { enum: [word] }, inputs: [word, `x${word}`] },
      { schema: { required: [word] }, inputs: [{ [word]: 1 }, {}] },
      {
        schema: { properties: { [word]: { const: word } } },
        inputs: [{ [word]: word }, { [word]: 1 }],
      },
    ]);
    const fits = { answers: [{ ok: true }, { ok: false }] };
    expect(validateInCompartment(cases)).toMatchObject(cases.map(() => fits));
  });

  test('accepts properties named import and eval', () => {
    const properties = { import: { type: 'string' }, eval: { type: 'string' } };
    const [answer] = validateInCompartment([
      {
        schema: { properties, required: ['import', 'eval'] },
        inputs: [{ import: 'a', eval: 'b' }, {}],
      },
    ]);
    expect(answer).toMatchObject({ answers: [{ ok: true }, { ok: false }] });
  });

  test('is one expression without any text that SES refuses', () => {
    const code = readFileSync(new URL('../../../dist/validator.js', import.meta.url), 'utf8');
    expect(code).toMatch(/^\(function\(\)\{[^]*\}\)$/);
    for (const refused of ['import(', 'eval(', '<!--', '-->']) expect(code).not.toContain(refused);
  });
});
