import { describe, expect, it } from 'vitest';
import type { ConsoleUpdates, ReviewedUpdate } from '../../src/console/updates.js';
import { openWorld, type World } from './world.js';

const UPDATE: ReviewedUpdate = {
  artifact: 'sha512-next',
  changes: [
    { kind: 'more', text: 'use the network: <b>evil.example</b>', details: [] },
    {
      kind: 'other',
      text: 'tool write: changed description',
      details: [{ part: 'description', before: 'Writes', after: '<script>1</script>' }],
    },
  ],
  reasons: ['it requests more'],
  code: [{ file: 'index.js', change: 'changed', diff: '-a\n+<i>b' }],
};

function updatesOf(review: ReviewedUpdate, accepted: string[] = []): ConsoleUpdates {
  return {
    ids: () => ['notes'],
    review: async () => review,
    accept: async (id, artifact, by) => {
      if (artifact !== review.artifact) return 'changed';
      accepted.push(`${id} ${artifact} ${by}`);
      return 'accepted';
    },
  };
}

async function enter(world: World): Promise<{ cookie: string; form: string }> {
  const cookie = await world.enter();
  return { cookie, form: await world.formToken(cookie) };
}

describe('an update of a plugin', () => {
  it('is shown with what changed, as text, and accepted as it was shown', async () => {
    const accepted: string[] = [];
    const world = openWorld({ updates: updatesOf(UPDATE, accepted) });
    const { cookie, form } = await enter(world);
    expect(await (await world.get('/console/plugins', cookie)).text()).toContain(
      'Look for an update',
    );
    const page = await (
      await world.post('/console/plugins/review', { form, plugin: 'notes' }, { cookie })
    ).text();
    expect(page).toContain('It asks for more than before.');
    expect(page).toContain('&lt;b&gt;evil.example');
    expect(page).toContain('&lt;script&gt;1');
    expect(page).toContain('+&lt;i&gt;b');
    expect(page).not.toMatch(/<b>|<script>|<i>/);
    expect(accepted).toEqual([]);
    const artifact = /name="artifact" value="([^"]+)"/.exec(page)?.[1] ?? '';
    const other = { form, plugin: 'notes', artifact: 'sha512-another' };
    expect((await world.post('/console/plugins/accept', other, { cookie })).status).toBe(409);
    expect(world.reloads).toEqual([]);
    const done = await world.post(
      '/console/plugins/accept',
      { form, plugin: 'notes', artifact },
      { cookie },
    );
    expect(done.headers.get('location')).toBe('/console/plugins?updated=notes');
    expect(accepted).toEqual(['notes sha512-next ada, in the console']);
    expect(world.reloads).toEqual(['reload']);
    expect(await (await world.get('/console/plugins?updated=notes', cookie)).text()).toContain(
      'notes is updated.',
    );
  });

  it('has no button if nothing changed, or if the page cannot accept it', async () => {
    const cases: readonly (readonly [ReviewedUpdate, string])[] = [
      [{ ...UPDATE, changes: [], reasons: [] }, 'is the accepted one'],
      [{ ...UPDATE, refusal: 'it wants all rights' }, 'it wants all rights'],
    ];
    for (const [update, says] of cases) {
      const world = openWorld({ updates: updatesOf(update) });
      const { cookie, form } = await enter(world);
      const page = await (
        await world.post('/console/plugins/review', { form, plugin: 'notes' }, { cookie })
      ).text();
      expect(page).toContain(says);
      expect(page).not.toContain('Accept this version');
    }
  });

  it('needs the right to administer, a known plugin, and a lock file', async () => {
    const seen: string[] = [];
    const updates: ConsoleUpdates = {
      ids: () => ['notes'],
      review: async (id) => {
        seen.push(id);
        return UPDATE;
      },
      accept: async (id) => {
        seen.push(id);
        return 'accepted';
      },
    };
    const world = openWorld({ updates });
    const answer = await world.post('/console/enter', { token: 'answers-answers-a' });
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const form = await world.formToken(cookie);
    expect(await (await world.get('/console/plugins', cookie)).text()).not.toContain(
      'Look for an update',
    );
    for (const path of ['review', 'accept']) {
      const said = await world.post(
        `/console/plugins/${path}`,
        { form, plugin: 'notes', artifact: 'sha512-next' },
        { cookie },
      );
      expect(said.status).toBe(403);
    }
    const person = await enter(world);
    const unknown = { form: person.form, plugin: 'none' };
    const none = await world.post('/console/plugins/review', unknown, { cookie: person.cookie });
    expect(none.status).toBe(404);
    expect(seen).toEqual([]);
    const without = openWorld();
    const there = await enter(without);
    const said = await without.post(
      '/console/plugins/review',
      { form: there.form, plugin: 'notes' },
      { cookie: there.cookie },
    );
    expect(said.status).toBe(404);
  });

  it('is read one at a time', async () => {
    let finish: (update: ReviewedUpdate) => void = () => {};
    const world = openWorld({
      updates: {
        ...updatesOf(UPDATE),
        review: () =>
          new Promise((resolve) => {
            finish = resolve;
          }),
      },
    });
    const { cookie, form } = await enter(world);
    const review = (): Promise<Response> =>
      world.post('/console/plugins/review', { form, plugin: 'notes' }, { cookie });
    const first = review();
    const second = await review();
    expect(second.status).toBe(409);
    finish(UPDATE);
    expect((await first).status).toBe(200);
  });
});
