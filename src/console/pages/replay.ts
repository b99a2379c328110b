import { describeFrame, type DifferingFrame } from '../../engine/recording/describe-frame.js';
import type { ReplayVerdict } from '../../engine/recording/replay.js';
import { type Markup, html, shorten } from '../../report/html/markup.js';
import type { RecentCall } from '../recent-calls.js';
import { formToken, quoted } from './layout.js';
import type { Session } from '../sessions.js';

/** The buttons that replay a recorded call. */
export function replayForm({ id, isRecorded }: RecentCall, session: Session): Markup {
  if (!isRecorded || !session.rights.has('answer')) return html``;
  return html`<form method="post" action="/console/calls/${encodeURIComponent(id)}/replay">
    ${formToken(session)}
    <p class="actions">
      <button name="code" value="recorded">Replay</button>
      <button class="second" name="code" value="current">Replay with the current code</button>
      <span class="meta"
        >It runs in a guest of its own. All answers come from the recording, so that nothing is sent
        or changed.</span
      >
    </p>
  </form>`;
}

interface Replayed {
  /** Whether the current code ran in place of the recorded code. */
  readonly current: boolean;
  /** Whether `audit.inputs` allows the content of messages. */
  readonly showsContent: boolean;
}

/** Whether the plugin did the same again, or what it did first that differs. */
export function replayPage(
  call: RecentCall,
  verdict: ReplayVerdict,
  { current, showsContent }: Replayed,
): Markup {
  return html`<p class="lead">
      A replay of <code><bdi>${call.plugin}</bdi>:<bdi>${call.tool}</bdi></code> with
      ${current ? 'the current code' : 'the recorded code'}. Nothing left its guest.
    </p>
    <p><a href="/console/calls/${encodeURIComponent(call.id)}">Back to the call</a></p>
    <div class="card">
      ${
        verdict.same
          ? html`<h2>The same</h2>
              <p>Each of ${verdict.frames} messages was as in the recording.</p>`
          : html`<h2>Different at message ${verdict.at}</h2>
              <dl class="facts">
                <div>
                  <dt>Recorded</dt>
                  <dd>${frame(verdict.expected, showsContent)}</dd>
                </div>
                <div>
                  <dt>Now</dt>
                  <dd>${frame(verdict.actual, showsContent)}</dd>
                </div>
              </dl>
              ${
                !showsContent &&
                html`<p class="meta">
                  To see the content of messages, set <code>audit.inputs</code> to
                  <code>full</code>.
                </p>`
              }`
      }
    </div>`;
}

const MAX_SHOWN = 2_000;

function frame(differing: DifferingFrame, showsContent: boolean): Markup {
  // guard: replay-content-as-audit
  const content = (json: string): string => (showsContent ? json : `(${json.length} characters)`);
  return quoted(shorten(describeFrame(differing, content), MAX_SHOWN));
}
