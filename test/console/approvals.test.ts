import { describe, expect, it } from 'vitest';
import type { StoredQuestion } from '../../src/approval/approver.js';
import type { ProgramStatus } from '../../src/engine/programs/program.js';
import { cookieIn, openWorld, type World } from './world.js';

/** Sends an answer as the page of that moment would, a second after it was shown. */
async function answer(
  world: World,
  { approvalId, digest }: StoredQuestion,
  fields: Readonly<Record<string, string>>,
): Promise<{ status: number; text: string }> {
  const cookie = await world.enter();
  const form = await world.formToken(cookie);
  const covers = coversIn(await (await world.get('/console/', cookie)).text(), approvalId, fields);
  const shown = String(world.clock.ms);
  world.clock.ms += 1_000;
  const path = `/console/approvals/${approvalId}`;
  const response = await world.post(path, { form, digest, shown, covers, ...fields }, { cookie });
  return { status: response.status, text: await response.text() };
}

/** What the page says that an answer covers: the session, or the rule of that name. */
function coversIn(
  page: string,
  approvalId: string,
  { rule }: Readonly<Record<string, string>>,
): string {
  const [, row = ''] = page.split(`data-approval="${approvalId}"`);
  const [, part = ''] = rule === undefined ? ['', row] : row.split(`name="rule" value="${rule}"`);
  return /name="covers"\s+value="([^"]*)"/.exec(part)?.[1] ?? '';
}

describe('answers in the console', () => {
  it('stores a person’s answer with the name of the operator', async () => {
    const world = openWorld();
    const question = world.ask();
    expect((await answer(world, question, { verdict: 'once' })).status).toBe(303);
    expect(world.engine.approvals.get(question.approvalId)?.answer).toMatchObject({
      verdict: 'once',
      by: 'ada, in the console',
      approver: 'person',
      channel: 'http',
    });
  });

  it('denies with a reason', async () => {
    const world = openWorld();
    const question = world.ask();
    await answer(world, question, { verdict: 'deny', reason: 'not now' });
    expect(world.engine.approvals.get(question.approvalId)?.answer).toMatchObject({
      verdict: 'deny',
      reason: 'not now',
    });
  });

  it('counts only for the question that was shown', async () => {
    const world = openWorld();
    const question = world.ask();
    const { status, text } = await answer(world, question, {
      verdict: 'once',
      digest: '0'.repeat(64),
    });
    expect(status).toBe(409);
    expect(text).toContain('another call than the one that was shown');
    expect(world.engine.approvals.get(question.approvalId)?.state).toBe('pending');
  });

  it('does not count within a second, or without a time', async () => {
    const world = openWorld();
    const question = world.ask();
    for (const shown of [String(world.clock.ms + 1_001), String(world.clock.ms + 500), 'soon']) {
      expect((await answer(world, question, { verdict: 'once', shown })).status).toBe(409);
      world.clock.ms -= 1_000;
    }
    expect(world.engine.approvals.get(question.approvalId)?.state).toBe('pending');
  });

  it('offers no session and no rule for high risk, and takes neither', async () => {
    const world = openWorld();
    const question = world.ask({ risk: 'high' });
    const page = await (await world.get('/console/', await world.enter())).text();
    expect(page).not.toContain('value="session"');
    expect(page).not.toContain('value="always"');
    expect(page).toContain('No rule can allow it');
    for (const verdict of ['session', 'always']) {
      expect((await answer(world, question, { verdict, rule: 'exact' })).status).toBe(400);
    }
  });

  it('stores the rule that was shown: with conditions, an end, and without credentials', async () => {
    const world = openWorld();
    const question = world.ask({ tenant: 'acme' });
    const page = await (await world.get('/console/', await world.enter())).text();
    expect(page).toContain('Tried on this call: allows it.');
    expect((await answer(world, question, { verdict: 'always', rule: 'scope' })).status).toBe(303);
    expect(world.engine.approvals.get(question.approvalId)?.answer).toMatchObject({
      verdict: 'always',
      input: { path: { under: 'a/' } },
      withoutSecrets: true,
      until: '2026-11-30T10:00:01Z',
    });
    expect((await answer(world, world.ask(), { verdict: 'always', rule: 'anything' })).status).toBe(
      409,
    );
  });

  it('stores no wider rule or session than was shown, if other questions came meanwhile', async () => {
    const world = openWorld();
    const question = world.ask({ input: { repo: 'acme/heat', to: 'ann' } });
    const cookie = await world.enter();
    const page = await (await world.get('/console/', cookie)).text();
    const rule = { verdict: 'always', rule: 'scope' };
    const covers = coversIn(page, question.approvalId, {});
    expect(page).toContain('input.to is &quot;ann&quot;');
    world.ask({ input: { repo: 'acme/heat', to: 'bob' } });
    for (const fields of [{ verdict: 'session' }, rule]) {
      expect((await answer(world, question, { ...fields, covers })).status).toBe(409);
    }
    expect(world.engine.approvals.get(question.approvalId)?.state).toBe('pending');
    expect((await answer(world, question, { verdict: 'session' })).status).toBe(303);
    expect(world.engine.approvals.get(question.approvalId)?.answer?.input).toEqual({
      repo: { equals: 'acme/heat' },
    });
  });

  it('proposes a rule from what a person allowed before, and says what varies', async () => {
    const world = openWorld();
    const first = world.ask({ input: { city: 'Oslo', unit: 'C' } });
    await answer(world, first, { verdict: 'once' });
    world.ask({ input: { city: 'Bergen', unit: 'C' } });
    const page = await (await world.get('/console/', await world.enter())).text();
    expect(page).toContain('allow notes:write if input.unit is &quot;C&quot; without credentials');
    expect(page).toContain('it would also have allowed 1:');
    // The session covers only what waits together.
    expect(page).toContain('where input.city is &quot;Bergen&quot;');
  });

  it('shows of inputs that do not wait any more what the audit log may record, for a day', async () => {
    for (const [inputs, seen] of [
      ['none', false],
      ['digest', false],
      ['full', true],
    ] as const) {
      const world = openWorld({ inputs });
      const past = world.ask({ input: { city: 'Oslo', unit: 'C' } });
      await answer(world, past, { verdict: 'once' });
      world.ask({ input: { city: 'Bergen', unit: 'C' } });
      world.ask({ input: { city: 'Rome', unit: 'C' } });
      const page = async () => (await world.get('/console/', await world.enter())).text();
      const now = await page();
      expect(now).toContain('it would also have allowed');
      // The list of what a rule would have allowed too. Conditions and pending inputs are shown in full.
      const listed = [...now.matchAll(/<li><bdi>(.*?)<\/bdi><\/li>/g)].map(([, text = '']) => text);
      expect(listed.some((text) => text.includes('Rome'))).toBe(true);
      expect(listed.some((text) => text.includes('Oslo'))).toBe(seen);
      const ofPast = listed.filter((text) => !/Rome|Bergen/.test(text));
      expect(ofPast.length).toBeGreaterThan(0);
      expect(ofPast.join().includes('audit.inputs')).toBe(!seen);
      world.clock.ms += 24 * 3_600_000;
      world.ask({ input: { city: 'Paris', unit: 'C' } });
      expect(await page()).toContain('Of 0 earlier questions');
    }
  });

  it('says which rule would have saved most questions, also if none waits', async () => {
    const world = openWorld();
    for (const city of ['Oslo', 'Bergen', 'Rome']) {
      await answer(world, world.ask({ input: { city, unit: 'C' } }), { verdict: 'once' });
    }
    const cookie = await world.enter();
    const page = await (await world.get('/console/', cookie)).text();
    expect(page).toMatch(/3\s+questions\s+in the last hour/);
    expect(page).toMatch(/This rule would have saved 2\s+answers of a person: allow notes:write/);
    // Older questions do not count.
    world.clock.ms += 3_600_001;
    const later = await (await world.get('/console/', cookie)).text();
    expect(later).toMatch(/0\s+questions\s+in the last hour/);
    expect(later).not.toContain('would have saved');
  });

  it('counts as saved only what a rule could have saved', async () => {
    const saved = async (prepare: (world: World) => Promise<unknown>): Promise<string> => {
      const world = openWorld();
      await prepare(world);
      const page = await (await world.get('/console/', await world.enter())).text();
      return /would have saved (\d+)/.exec(page)?.[1] ?? 'none';
    };
    const inputOf = (city: string) => ({ input: { city, unit: 'C' } });
    const allow = async (world: World, more: Partial<StoredQuestion>) =>
      answer(world, world.ask(more), { verdict: 'once' });
    const three = async (world: World) => {
      for (const city of ['Oslo', 'Bergen', 'Rome']) await allow(world, inputOf(city));
    };
    expect(await saved(three)).toBe('2');
    // High risk, another tenant, an answer of a program, a question without an answer.
    expect(
      await saved(async (world) => {
        await three(world);
        await allow(world, { ...inputOf('Paris'), risk: 'high' });
        await allow(world, { ...inputOf('Paris'), tenant: 'acme' });
        const other = world.ask(inputOf('Paris'));
        await world.engine.approvals.answer(other.approvalId, { verdict: 'once', by: 'bot' });
        world.ask(inputOf('Paris'));
      }),
    ).toBe('2');
    // A call that a person denied: a rule that would have allowed it is not named.
    expect(
      await saved(async (world) => {
        await three(world);
        await answer(world, world.ask(inputOf('Paris')), { verdict: 'deny' });
      }),
    ).toBe('none');
    // What a stored rule allows or forbids anyhow.
    for (const verdict of ['allow', 'deny', 'ask'] as const) {
      expect(
        await saved(async (world) => {
          await three(world);
          const rule = { verdict, plugin: 'notes', tool: 'write', bundle: 'sha512-abc' };
          world.engine.rules.add(rule);
        }),
      ).toBe('none');
    }
  });

  it('runs a waiting call dry when a person asks for it, and shows what its code chose to do', async () => {
    const world = openWorld();
    const question = world.ask({ tenant: 'acme' });
    const path = `/console/approvals/${question.approvalId}/dry-run`;
    const viewer = cookieIn(await world.post('/console/enter', { token: 'views-views-views' }));
    const refused = await world.post(
      path,
      { form: await world.formToken(viewer) },
      { cookie: viewer },
    );
    expect(refused.status).toBe(403);
    expect(world.called).toEqual([]);
    const cookie = await world.enter();
    const answered = await world.post(path, { form: await world.formToken(cookie) }, { cookie });
    const page = await answered.text();
    expect(world.called).toEqual([
      { tool: 'notes:write', input: question.input, options: { dryRun: true, tenant: 'acme' } },
    ]);
    expect(page).toContain('In a real run it may choose otherwise');
    expect(page).toContain('This time the tool asked for 2 changes.');
    expect(page).not.toMatch(/<b>wrote|example\/<i>/);
    // It answers nothing.
    expect(world.engine.approvals.get(question.approvalId)?.state).toBe('pending');
  });

  it('says when another rule denies what a proposed rule would allow', async () => {
    const world = openWorld();
    world.engine.rules.add({ verdict: 'deny', plugin: 'notes', tool: 'write' });
    world.ask();
    const page = await (await world.get('/console/', await world.enter())).text();
    expect(page).toContain('does not allow it.');
    expect(page).toMatch(/value="always"\s+disabled/);
  });

  it('answers several questions of one tool, and refuses other tools and high risk', async () => {
    const world = openWorld();
    const [one, two] = [world.ask(), world.ask()];
    const other = world.ask({ id: 'notes:read', tool: 'read' });
    const high = world.ask({ risk: 'high' });
    const cookie = await world.enter();
    const form = await world.formToken(cookie);
    let shown = String(world.clock.ms);
    const batch = (...picks: StoredQuestion[]) =>
      world.post(
        '/console/approvals/batch',
        [
          ['form', form],
          ['verdict', 'once'],
          ...picks.map(({ approvalId, digest }): [string, string] => [
            'pick',
            `${approvalId} ${digest} ${shown}`,
          ]),
        ],
        { cookie },
      );
    expect((await batch()).status).toBe(400);
    // Shown for less than a second, or at no known time.
    expect((await batch(one, two)).status).toBe(409);
    shown = '';
    expect((await batch(one, two)).status).toBe(409);
    shown = String(world.clock.ms - 1_000);
    expect((await batch(one, other)).status).toBe(400);
    expect((await batch(one, high)).status).toBe(400);
    expect((await batch({ ...one, digest: two.digest })).status).toBe(409);
    expect(world.engine.approvals.list()).toHaveLength(4);
    expect((await batch(one, two)).status).toBe(303);
    expect(world.engine.approvals.list().map(({ id, risk }) => `${id} ${risk}`)).toEqual([
      'notes:read medium',
      'notes:write high',
    ]);
    const page = await (await world.get('/console/', cookie)).text();
    // One of them can be selected, and there is no form for fewer than two.
    expect(page.match(/name="pick"/g)).toHaveLength(1);
    expect(page).not.toContain('/console/approvals/batch');
  });

  it('shows the program that asks, and answers its calls together', async () => {
    const programs: ProgramStatus[] = [];
    const world = openWorld({ programs });
    const asker = 'program call_p1';
    const write = world.ask({ asker, input: { path: 'a.md' } });
    const read = world.ask({ asker, id: 'notes:read', tool: 'read', input: { path: 'b.md' } });
    const alone = world.ask({ id: 'notes:list', tool: 'list', asker: 'program call_other' });
    const waits = { state: 'waiting' } as const;
    programs.push({
      id: 'call_p1',
      source: `await tools.notes.find({ key: 'x' }); // </pre><b>`,
      state: 'parked',
      startedAtMs: 0,
      expiresAtMs: 1,
      calls: [
        { number: 1, tool: 'notes:find', input: { key: 'hunter2' }, state: 'done' },
        { number: 2, tool: 'notes:write', input: {}, approval: write.approvalId, ...waits },
        { number: 3, tool: 'notes:read', input: {}, approval: read.approvalId, ...waits },
      ],
    });
    const cookie = await world.enter();
    const form = await world.formToken(cookie);
    const page = await (await world.get('/console/', cookie)).text();
    expect(page.match(/The program that asks:\s+1 earlier\s+call, 2 waiting/g)).toHaveLength(2);
    expect(page).toContain('// &lt;/pre&gt;&lt;b&gt;');
    expect(page).not.toContain('hunter2');
    expect(page).toContain(
      `waits: <a href="/console/approvals/${read.approvalId}">its question</a>`,
    );
    expect(page).toContain('<strong>2 calls of program call_p1</strong>');
    const shown = String(world.clock.ms - 1_000);
    const batch = (...picks: StoredQuestion[]) =>
      world.post(
        '/console/approvals/batch',
        [
          ['form', form],
          ['verdict', 'once'],
          ...picks.map(({ approvalId, digest }): [string, string] => [
            'pick',
            `${approvalId} ${digest} ${shown}`,
          ]),
        ],
        { cookie },
      );
    expect((await batch(write, alone)).status).toBe(400);
    expect((await batch(write, read)).status).toBe(303);
    expect(world.engine.approvals.list().map(({ id }) => id)).toEqual(['notes:list']);
  });
});
