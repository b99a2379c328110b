import type { Hono } from 'hono';
import { explainCall } from '../audit/why.js';
import type { Engine } from '../engine/engine-api.js';
import { hasAudit, NO_AUDIT } from './pages/audit.js';
import { whyPage } from './pages/why.js';
import { ConsoleRefusal } from './refusal.js';
import type { Bindings, ShowPage } from './respond.js';

/** The decisions about one call, from the audit log. */
export function addWhyRoute(
  app: Hono<{ Bindings: Bindings }>,
  { engine, show }: { readonly engine: Pick<Engine, 'audit'>; readonly show: ShowPage },
): void {
  app.get('/console/calls/:id/why', async ({ req, env }) => {
    if (!hasAudit(engine)) return show(env.session, 'Why', '/console/calls', NO_AUDIT);
    const account = await explainCall(engine.audit.query(), req.param('id'));
    if (account === undefined) throw new ConsoleRefusal(404, 'The audit log has no such call.');
    return show(env.session, 'Why', '/console/calls', whyPage(account));
  });
}
