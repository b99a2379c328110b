import type { Hono } from 'hono';
import type { Engine } from '../engine/engine-api.js';
import { isCovered } from '../stops/stop.js';
import { visible } from '../visible.js';
import { requireRight } from './door.js';
import { logsPage, type PluginRow, pluginsPage } from './pages/plugins.js';
import type { watchActivity } from './plugin-activity.js';
import { ConsoleRefusal } from './refusal.js';
import { type Bindings, redirect, type ShowPage } from './respond.js';

interface PluginRoutesSpec {
  readonly engine: Pick<Engine, 'plugins' | 'setEnabled' | 'stops'>;
  readonly activity: ReturnType<typeof watchActivity>;
  /** Ids of the plugins whose updates the console accepts. */
  readonly locked: () => readonly string[];
  readonly show: ShowPage;
}

/** What a page says of the plugin that its address names. */
const DONE = [
  ['updated', 'is updated.'],
  ['on', 'is switched on.'],
  ['off', 'is switched off.'],
] as const;

/** The plugins, their switches and their logs. */
export function addPluginRoutes(
  app: Hono<{ Bindings: Bindings }>,
  { engine, activity, locked, show }: PluginRoutesSpec,
): void {
  const pluginRows = (): PluginRow[] => {
    const all = engine.plugins();
    const ids = new Set(locked());
    const stops = engine.stops.list();
    return all.map((status) => ({
      status,
      activity: activity.of(status.id),
      sharesWith: all
        .filter((one) => one.trustGroup !== undefined && one.trustGroup === status.trustGroup)
        .map(({ id }) => id)
        .filter((id) => id !== status.id),
      isLocked: ids.has(status.id),
      isStopped: stops.some(
        ({ target }) => !('tenant' in target) && isCovered({ target }, status.id, undefined),
      ),
    }));
  };
  app.get('/console/plugins', ({ env, req }) => {
    const done = DONE.flatMap(([name, what]) =>
      engine
        .plugins()
        .filter(({ id }) => id === req.query(name))
        .map(({ id }) => `${visible(id)} ${what}`),
    );
    const content = pluginsPage(pluginRows(), env.session, done[0]);
    return show(env.session, 'Plugins', '/console/plugins', content);
  });
  app.post('/console/plugins/switch', async ({ env }) => {
    const { form, session } = env;
    requireRight(session, 'administer');
    const id = form.get('plugin') ?? '';
    const to = form.get('to');
    if (to !== 'on' && to !== 'off')
      throw new ConsoleRefusal(400, 'A plugin is switched on or off.');
    if (!engine.plugins().some((one) => one.id === id))
      throw new ConsoleRefusal(404, 'There is no such plugin.');
    await engine.setEnabled(id, to === 'on');
    return redirect(`/console/plugins?${to}=${encodeURIComponent(id)}`);
  });
  app.get('/console/logs', ({ req, env }) => {
    const plugin = knownPlugin(engine, req.query('plugin'));
    return show(env.session, 'Log', '/console/plugins', logsPage(plugin, activity.logsOf(plugin)));
  });
}

export function knownPlugin(engine: Pick<Engine, 'plugins'>, id: string | undefined): string {
  const found = engine.plugins().find((one) => one.id === id);
  if (found !== undefined) return found.id;
  throw new ConsoleRefusal(404, `There is no plugin ${visible((id ?? '').slice(0, 200))}.`);
}
