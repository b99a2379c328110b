import type { Hono } from 'hono';
import type { Engine } from '../engine/engine-api.js';
import { callPage, callsPage, treesOf } from './pages/calls.js';
import { knownPlugin } from './plugin-routes.js';
import type { RecentCalls } from './recent-calls.js';
import { ConsoleRefusal } from './refusal.js';
import type { Bindings, ShowPage } from './respond.js';

interface CallRoutesSpec {
  readonly engine: Pick<Engine, 'plugins'>;
  readonly recent: RecentCalls;
  readonly show: ShowPage;
}

/** The last calls. */
export function addCallRoutes(
  app: Hono<{ Bindings: Bindings }>,
  { engine, recent, show }: CallRoutesSpec,
): void {
  app.get('/console/calls', ({ req, env }) => {
    const named = req.query('plugin');
    const plugin = named === undefined ? undefined : knownPlugin(engine, named);
    const calls = recent.list(plugin === undefined ? {} : { plugin });
    return show(
      env.session,
      'Calls',
      '/console/calls',
      callsPage(treesOf(calls), calls.length, plugin),
    );
  });
  app.get('/console/calls/:id', ({ req, env }) => {
    const call = recent.find(req.param('id'));
    if (call === undefined) {
      throw new ConsoleRefusal(
        404,
        'This call is not in memory. With an audit log, `bulkhead why` may know it.',
      );
    }
    const parent = call.parent === undefined ? undefined : recent.find(call.parent);
    return show(
      env.session,
      'Call',
      '/console/calls',
      callPage(call, recent.childrenOf(call.id), parent, env.session),
    );
  });
}
