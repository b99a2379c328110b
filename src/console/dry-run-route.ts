import type { Hono } from 'hono';
import type { Engine } from '../engine/engine-api.js';
import { requireRight } from './door.js';
import { dryRunPage } from './pages/dry-run.js';
import { ConsoleRefusal } from './refusal.js';
import type { Bindings, ShowPage } from './respond.js';

/** The form that runs a waiting call dry. Only a person starts it. */
export function addDryRunRoute(
  app: Hono<{ Bindings: Bindings }>,
  engine: Pick<Engine, 'approvals' | 'call' | 'plugins'>,
  show: ShowPage,
): void {
  app.post('/console/approvals/:id/dry-run', async ({ req, env }) => {
    // guard: dry-run-needs-right
    requireRight(env.session, 'answer');
    const entry = engine.approvals.get(req.param('id'));
    if (entry === undefined) throw new ConsoleRefusal(404, 'There is no such question.');
    const { question, state } = entry;
    if (state !== 'pending' || question.kind !== 'call') {
      throw new ConsoleRefusal(409, 'Only a call that waits can be run dry.');
    }
    const { id, input, tenant, conversationId } = question;
    const result = await engine.call(id, input, {
      dryRun: true,
      ...(tenant === undefined ? {} : { tenant }),
      ...(conversationId === undefined ? {} : { context: { conversationId } }),
    });
    const tool = engine
      .plugins()
      .flatMap(({ tools }) => tools)
      .find((one) => one.id === id);
    return show(env.session, 'Dry run', '/console/', dryRunPage(question, result, tool));
  });
}
