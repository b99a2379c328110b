import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cookieIn, openWorld, ORIGIN, type World } from './world.js';

const CONSOLE = fileURLToPath(new URL('../../src/console/', import.meta.url));

/** The paths of all forms, from the sources, so that a new one is tried here. */
const FORMS: readonly string[] = readdirSync(CONSOLE)
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) => [
    ...readFileSync(join(CONSOLE, name), 'utf8').matchAll(/app\.post\(\s*'([^']+)'/g),
  ])
  .map(([, path = '']) => path)
  .toSorted();

/** What would be different if a form had worked. */
function stateOf(world: World): string {
  const { engine, switched, reloads, called } = world;
  return JSON.stringify([
    switched,
    reloads,
    called,
    engine.approvals.list().map(({ approvalId }) => approvalId),
    engine.rules.list(),
    engine.stops.list(),
  ]);
}

interface Scene {
  readonly world: World;
  readonly cookie: string;
  readonly form: string;
  readonly before: string;
  /** The path of each form, and fields that would do something. */
  readonly all: readonly (readonly [path: string, fields: Record<string, string>])[];
}

async function openScene(): Promise<Scene> {
  const world = openWorld({
    updates: {
      ids: () => ['notes'],
      review: () => Promise.reject(new Error('an update was read')),
      accept: () => Promise.reject(new Error('an update was accepted')),
    },
    replay: () => Promise.reject(new Error('a call was replayed')),
  });
  const { approvalId, digest } = world.ask();
  world.clock.ms += 5_000;
  const cookie = await world.enter();
  const fields = {
    verdict: 'once',
    digest,
    shown: '0',
    pick: `${approvalId} ${digest} 0`,
    plugin: 'notes',
    tenant: 'acme',
    target: 'everything',
    what: 'everything',
    to: 'off',
    on: 'off',
    reason: 'because',
    code: 'same',
  };
  const all = FORMS.map(
    (path) =>
      [
        path.replace('approvals/:id', `approvals/${approvalId}`).replace(':id', 'notes'),
        fields,
      ] as const,
  );
  return { world, cookie, form: await world.formToken(cookie), before: stateOf(world), all };
}

describe('the forms of the console', () => {
  it('are all found by this test', () => {
    expect(FORMS.length).toBeGreaterThanOrEqual(10);
    expect(FORMS).toContain('/console/approvals/:id');
    expect(FORMS).toContain('/console/stop');
  });

  it('change nothing as a GET, also with their fields in the address', async () => {
    const { world, cookie, form, before, all } = await openScene();
    for (const [path, fields] of all) {
      const query = new URLSearchParams({ ...fields, form }).toString();
      const { status } = await world.get(`${path}?${query}`, cookie);
      expect([path, status < 400 || status === 404]).toEqual([path, true]);
      expect([path, stateOf(world)]).toEqual([path, before]);
    }
    // The session goes on.
    expect((await world.get('/console/', cookie)).status).toBe(200);
  });

  it('change nothing without the exact origin, the token of the session, or a session', async () => {
    const { world, cookie, form, before, all } = await openScene();
    const viewer = cookieIn(await world.post('/console/enter', { token: 'views-views-views' }));
    const other = await world.formToken(viewer);
    for (const [path, fields] of all) {
      const refused = [
        await world.post(path, { ...fields, form }, { cookie, headers: { origin: 'null' } }),
        await world.post(
          path,
          { ...fields, form },
          { cookie, headers: { origin: ORIGIN.replace('http:', 'https:') } },
        ),
        await world.post(path, fields, { cookie }),
        await world.post(path, { ...fields, form: other }, { cookie }),
        await world.post(path, { ...fields, form }),
      ];
      expect([path, refused.map(({ status }) => status)]).toEqual([
        path,
        [403, 403, 403, 403, 401],
      ]);
      expect([path, stateOf(world)]).toEqual([path, before]);
    }
  });

  it('change nothing for a session that only views, apart from its own end', async () => {
    const { world, before, all } = await openScene();
    const cookie = cookieIn(await world.post('/console/enter', { token: 'views-views-views' }));
    const form = await world.formToken(cookie);
    for (const [path, fields] of all) {
      if (path === '/console/leave' || path === '/console/audit/verify') continue;
      const { status } = await world.post(path, { ...fields, form }, { cookie });
      expect([path, status]).toEqual([path, 403]);
      expect([path, stateOf(world)]).toEqual([path, before]);
    }
  });
});
