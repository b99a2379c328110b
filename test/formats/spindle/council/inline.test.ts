import { describe, expect, it } from 'vitest';
import { createCouncil } from '../../../../src/formats/spindle/council/index.js';
import { cycle, member, start } from './extension.js';

describe('functions of the main model', () => {
  const settings = {
    mode: 'inline',
    members: [member({ tools: ['search', 'fails', 'ext:odd__name'] })],
  };

  it('have names that every model takes, and are found by them', async () => {
    const engine = await start();
    const inline = createCouncil(engine, { settings }).inline(cycle);
    const names = inline.functions.map(({ name }) => name);
    expect(names).toEqual([
      'lumi-000_ext__search',
      'lumi-000_ext__fails',
      'lumi-000_ext__odd__name',
      'ext__odd__name',
    ]);
    expect(inline.maxRounds).toBe(3);
    expect(await inline.call('lumi-000_ext__search', '{"query":"ships","context":"mine"}')).toBe(
      'Lumi | ships | hello | true | true',
    );
    expect(await inline.call('lumi-000_ext__odd__name', {})).toContain('Lumi | no query');
    expect(await inline.call('ext__odd__name', {})).toContain('nobody | no query | hello');
    expect(inline.results.map(({ success }) => success)).toEqual([true, true, true]);
  });

  it('of members with long or equal names are distinct', async () => {
    const identifier = `e${'x'.repeat(70)}`;
    const engine = await start(identifier);
    const members = [
      member({ memberId: 'same-id-1', tools: ['search'] }),
      member({ memberId: 'same-id-2', tools: ['search'] }),
    ];
    const inline = createCouncil(engine, { settings: { members } }).inline(cycle);
    const names = inline.functions.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  });

  it('answer with what went wrong, and never end the generation', async () => {
    const engine = await start();
    const inline = createCouncil(engine, { settings }).inline(cycle);
    expect(await inline.call('lumi-000_ext__fails', {})).toBe('Error: boom');
    expect(await inline.call('lumi-000_ext__search', { query: 7 })).toMatch(/^Error: /);
    expect(await inline.call('lumi-000_ext__search', '{"query":')).toMatch(/^Error: .*not JSON/);
    expect(await inline.call('nothing', {})).toMatch(/^Error: there is no function/);
    for (let calls = 0; calls < 40; calls += 1) await inline.call('nothing', {});
    expect(await inline.call('lumi-000_ext__search', { query: 'q' })).toMatch(/^Error: no more/);
  });

  it.each([{ type: 'impersonate' }, { functionCalling: false }])(
    'are none in a generation with %j',
    async (more) => {
      const engine = await start();
      expect(createCouncil(engine, { settings }).inline({ ...cycle, ...more }).functions).toEqual(
        [],
      );
    },
  );
});
