import type { Hono } from 'hono';
import type { Engine } from '../engine/engine-api.js';
import { requireRight } from './door.js';
import { callPage, callsPage, treesOf } from './pages/calls.js';
import { nodeOf } from './pages/time-line.js';
import { knownPlugin } from './plugin-routes.js';
import type { PastQuestions } from './queue.js';
import type { RecentCalls } from './recent-calls.js';
import { ConsoleRefusal } from './refusal.js';
import { type Bindings, redirect, type ShowPage } from './respond.js';

interface CallRoutesSpec {
  readonly engine: Pick<Engine, 'plugins'>;
  readonly recent: RecentCalls;
  readonly past: PastQuestions;
  readonly show: ShowPage;
}

/** The last calls, and the form that forgets those of a tenant. */
export function addCallRoutes(
  app: Hono<{ Bindings: Bindings }>,
  { engine, recent, past, show }: CallRoutesSpec,
): void {
  app.get('/console/calls', ({ req, env: { session } }) => {
    const named = req.query('plugin');
    const plugin = named === undefined ? undefined : knownPlugin(engine, named);
    const tenant = req.query('tenant');
    const calls = recent.list({ plugin, tenant });
    const filter = { plugin, tenant };
    return show(
      session,
      'Calls',
      '/console/calls',
      callsPage(treesOf(calls), calls.length, filter, session),
    );
  });
  app.post('/console/calls/forget', ({ env: { form, session } }) => {
    // guard: forgetting-needs-right
    requireRight(session, 'administer');
    const tenant = form.get('tenant') ?? '';
    if (tenant === '') throw new ConsoleRefusal(400, 'Name the tenant whose calls to forget.');
    recent.forget(tenant);
    past.forget(tenant);
    return redirect('/console/calls');
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
    const { entries = [] } = engine.plugins().find(({ id }) => id === call.plugin) ?? {};
    return show(
      env.session,
      'Call',
      '/console/calls',
      callPage(nodeOf(call, recent.childrenOf), parent, entries, env.session),
    );
  });
}
