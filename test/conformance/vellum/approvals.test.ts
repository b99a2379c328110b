import { describe, expect, it } from 'vitest';
import type { ApprovalRequest, EngineOptions, Tolerance } from '../../../src/index.js';
import { makeVellum } from '../../engine/vellum-on-disk.js';
import { makeDirectory, startEngine } from '../../engine/plugin-on-disk.js';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const tool = (fields: string): string =>
  `export default { input_schema: { type: 'object' }, ${fields} execute: async () => ({ content: 'ran', isError: false }) };`;

const plugin = (): string =>
  makeVellum({
    tools: {
      low: tool(`defaultRiskLevel: 'low', category: 'coding',`),
      medium: tool(`defaultRiskLevel: 'medium', category: 'terminal',`),
      high: tool(`defaultRiskLevel: 'high', category: 'coding',`),
      unsaid: tool(''),
      odd: tool(`defaultRiskLevel: 'harmless',`),
    },
  });

const start = (options: Partial<EngineOptions> = {}) => startEngine([plugin()], options);

/** What became of calls of the tools: each ran, or asked. */
async function outcomes(
  tools: readonly string[],
  options: Partial<EngineOptions>,
): Promise<string> {
  const engine = await start(options);
  const codes = await Promise.all(tools.map(async (name) => (await engine.call(name, {})).code));
  return codes.map((code) => (code === 'APPROVAL_REQUIRED' ? 'ask' : (code ?? 'run'))).join(' ');
}

describe('Vellum, Risk level and category: bands against tolerances', () => {
  it.each<[Tolerance, string]>([
    ['strict', 'ask ask ask ask'],
    ['default', 'run ask ask ask'],
    ['relaxed', 'run run ask run'],
    ['full', 'run run run run'],
  ])('%s: low, medium, high, and a tool that says nothing', async (tolerance, expected) => {
    expect(await outcomes(['low', 'medium', 'high', 'unsaid'], { tolerance })).toBe(expected);
  });

  it('without a choice what is high asks, and the rest runs', async () => {
    expect(await outcomes(['low', 'medium', 'high', 'unsaid'], {})).toBe('run run ask run');
  });

  it('an unknown band counts as high', async () => {
    const engine = await start();
    expect(engine.catalog.find('odd')?.declaredRisk).toBe('high');
  });

  it('what asks says its band, and shows the full input', async () => {
    const asked: ApprovalRequest[] = [];
    const engine = await start({
      tolerance: 'default',
      approve: (request) => {
        asked.push(request);
        return 'once';
      },
    });
    const input = { command: 'rm -rf /' };
    expect(await engine.call('high', input)).toMatchObject({ isError: false });
    expect(asked[0]).toMatchObject({ risk: 'high', input, offers: ['deny', 'once'] });
    expect(asked[0]?.shown).toContain('rm -rf /');
  });

  it('a rule that denies beats full access', async () => {
    const rules = join(makeDirectory(), 'rules.json');
    const deny = { id: 'no', verdict: 'deny', plugin: 'sample', tool: 'low' };
    writeFileSync(rules, JSON.stringify({ version: 2, rules: [deny] }));
    expect(await outcomes(['low', 'high'], { tolerance: 'full', rules })).toBe(
      'APPROVAL_DENIED run',
    );
  });
});

describe('a grant', () => {
  const calls = async (
    verdict: 'once' | 'session',
    changes: readonly object[],
  ): Promise<number> => {
    let asked = 0;
    const engine = await start({
      tolerance: 'default',
      approve: () => {
        asked += 1;
        return verdict;
      },
    });
    for (const change of changes) await engine.call('medium', {}, change);
    return asked;
  };

  it('is for one call', async () => {
    expect(await calls('once', [{}, {}])).toBe(2);
  });

  it('for a session is for its conversation and its tenant', async () => {
    const conversation = (conversationId: string): object => ({ context: { conversationId } });
    expect(await calls('session', [conversation('a'), conversation('a')])).toBe(1);
    expect(await calls('session', [conversation('a'), conversation('b')])).toBe(2);
    expect(await calls('session', [{ tenant: 'a' }, { tenant: 'b' }])).toBe(2);
  });

  it('an approval that does not come in time is missing, which differs from a refusal', async () => {
    const engine = await start({
      tolerance: 'default',
      approve: () => new Promise(() => {}),
      limits: { approvalTimeoutMs: 50 },
    });
    expect(await engine.call('medium', {})).toMatchObject({
      isError: true,
      code: 'APPROVAL_TIMEOUT',
      content: [{ text: expect.stringContaining('It was not denied') }],
    });
  });
});

describe('where no interactive client is connected', () => {
  const context = { isInteractive: false };

  it.each([
    ['low', 'ran'],
    ['medium', 'ran'],
    ['high', 'APPROVAL_REQUIRED'],
  ])('%s: %s, without a question', async (name, expected) => {
    let asked = 0;
    const engine = await start({
      approve: () => {
        asked += 1;
        return 'once';
      },
    });
    const { code, value } = await engine.call(name, {}, { context });
    expect(code ?? (value as { content?: string } | undefined)?.content).toBe(expected);
    expect(asked).toBe(0);
  });
});

describe('Vellum, category: a policy that lists categories', () => {
  it('offers tools of those, and none that has no category', async () => {
    const engine = await start();
    const offered = (allowedToolCategories: readonly string[]): readonly string[] =>
      engine.availableTools({ policy: { allowedToolCategories } }).map(({ tool: name }) => name);
    expect(offered(['coding'])).toEqual(['high', 'low']);
    expect(offered(['coding', 'terminal'])).toEqual(['high', 'low', 'medium']);
    expect(offered([])).toEqual(['high', 'low', 'medium', 'odd', 'unsaid']);
  });

  it('holds for a call as well', async () => {
    const engine = await start();
    const policy = { allowedToolCategories: ['terminal'] };
    expect(await engine.call('low', {}, { policy })).toMatchObject({ code: 'POLICY_DENIED' });
    expect(await engine.call('medium', {}, { policy })).toMatchObject({ isError: false });
    const blocked = { blockedTools: ['sample:medium'] };
    expect(await engine.call('medium', {}, { policy: blocked })).toMatchObject({
      code: 'POLICY_DENIED',
    });
  });
});
