import type { Hono } from 'hono';
import type { Engine } from '../engine/engine-api.js';
import type { StopTarget } from '../stops/stop.js';
import { requireRight } from './door.js';
import { ConsoleRefusal } from './refusal.js';
import { type Bindings, redirect } from './respond.js';

const MAX_REASON = 500;

/** The forms that stop and resume. */
export function addStopRoutes(
  app: Hono<{ Bindings: Bindings }>,
  { stops }: Pick<Engine, 'stops'>,
): void {
  app.post('/console/stop', async ({ env }) => {
    const { form, session } = env;
    requireRight(session, 'administer');
    const reason = (form.get('reason') ?? '').trim().slice(0, MAX_REASON);
    await stops.stop(targetOf(form), { by: session.by, ...(reason === '' ? {} : { reason }) });
    return redirect('/console/stop');
  });
  app.post('/console/resume', async ({ env }) => {
    const { form, session } = env;
    requireRight(session, 'administer');
    if (!(await stops.resume(targetOf(form), { by: session.by })))
      throw new ConsoleRefusal(409, 'This is not stopped any more, or its file cannot be read.');
    return redirect('/console/stop');
  });
}

function targetOf(form: URLSearchParams): StopTarget {
  const kind = form.get('kind');
  const id = form.get('id') ?? '';
  if (kind === 'everything') return { everything: true };
  if (kind === 'plugin' && id !== '') return { plugin: id };
  if (kind === 'tenant' && id !== '') return { tenant: id };
  throw new ConsoleRefusal(400, 'Name what to stop: everything, a plugin or a tenant.');
}
