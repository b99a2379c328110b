import type { Hono } from 'hono';
import type { InputPolicy } from '../audit/note.js';
import type { Engine } from '../engine/engine-api.js';
import { requireRight } from './door.js';
import { replayPage } from './pages/replay.js';
import type { RecentCalls } from './recent-calls.js';
import { ConsoleRefusal } from './refusal.js';
import type { Bindings, ShowPage } from './respond.js';

interface ReplayRouteSpec {
  readonly engine: Pick<Engine, 'replay'>;
  readonly recent: RecentCalls;
  readonly inputs: InputPolicy;
  readonly show: ShowPage;
}

/** The form that runs a recorded call again from its recording. Nothing leaves the guest. */
export function addReplayRoute(
  app: Hono<{ Bindings: Bindings }>,
  { engine, recent, inputs, show }: ReplayRouteSpec,
): void {
  app.post('/console/calls/:id/replay', async ({ req, env }) => {
    const { form, session } = env;
    // guard: replay-needs-right
    requireRight(session, 'answer');
    const call = recent.find(req.param('id'));
    const recording = recent.recordingOf(req.param('id'));
    if (call === undefined || recording === undefined)
      throw new ConsoleRefusal(404, 'The recording of this call is not in memory.');
    const current = form.get('code') === 'current';
    const verdict = await engine.replay(JSON.parse(recording), { current });
    const content = replayPage(call, verdict, { current, showsContent: inputs.inputs === 'full' });
    return show(session, 'Replay', '/console/calls', content);
  });
}
