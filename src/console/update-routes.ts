import type { Hono } from 'hono';
import type { Engine } from '../engine/engine-api.js';
import { requireRight } from './door.js';
import { updatePage } from './pages/update.js';
import { knownPlugin } from './plugin-routes.js';
import { ConsoleRefusal } from './refusal.js';
import { type Bindings, redirect, type ShowPage } from './respond.js';
import type { ConsoleUpdates } from './updates.js';

interface UpdateRoutesSpec {
  readonly engine: Pick<Engine, 'plugins' | 'reload'>;
  readonly updates: ConsoleUpdates;
  readonly show: ShowPage;
}

/** The forms that look for the current version of a plugin, and accept it. */
export function addUpdateRoutes(
  app: Hono<{ Bindings: Bindings }>,
  { engine, updates, show }: UpdateRoutesSpec,
): void {
  let isBusy = false;
  /** One at a time: each loads the plugin in a guest, and reads its packages. */
  const alone = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    // guard: one-review-at-a-time
    if (isBusy) throw new ConsoleRefusal(409, 'Another plugin is being read. Try again soon.');
    isBusy = true;
    try {
      return await work();
    } finally {
      isBusy = false;
    }
  };
  app.post('/console/plugins/review', async ({ env }) => {
    const { form, session } = env;
    // guard: review-needs-right
    requireRight(session, 'administer');
    const id = knownPlugin(engine, form.get('plugin') ?? undefined);
    const update = await alone(() => updates.review(id));
    return show(session, 'Update', '/console/plugins', updatePage(id, update, session));
  });
  app.post('/console/plugins/accept', async ({ env }) => {
    const { form, session } = env;
    // guard: accept-needs-right
    requireRight(session, 'administer');
    const id = knownPlugin(engine, form.get('plugin') ?? undefined);
    const artifact = form.get('artifact') ?? '';
    const outcome = await alone(async () => {
      const done = await updates.accept(id, artifact, session.by);
      if (done === 'accepted') await engine.reload();
      return done;
    });
    if (outcome === 'changed') {
      throw new ConsoleRefusal(
        409,
        'The plugin changed after this page was made, so that nothing was accepted. Look for its update again.',
      );
    }
    return redirect(`/console/plugins?updated=${encodeURIComponent(id)}`);
  });
}
