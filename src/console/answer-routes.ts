import type { Hono } from 'hono';
import type { StoredQuestion, Verdict } from '../approval/approver.js';
import type { Approvals } from '../engine/approvals.js';
import type { Programs } from '../engine/programs/program.js';
import { isBulkheadError } from '../errors.js';
import { programThatAsks } from './asking-program.js';
import { requireRight } from './door.js';
import { coverId } from './cover-id.js';
import { proposalsFor, scopeOf } from './queue.js';
import { ConsoleRefusal } from './refusal.js';
import { type Bindings, redirect } from './respond.js';
import type { Session } from './sessions.js';

interface AnswerRoutesSpec {
  readonly engine: {
    readonly approvals: Pick<Approvals, 'answer' | 'get'>;
    readonly programs: Pick<Programs, 'list'>;
  };
  readonly pending: () => readonly StoredQuestion[];
  /** Earlier questions that a person allowed. */
  readonly allowed: () => readonly StoredQuestion[];
  readonly now: () => number;
}

/** Milliseconds for which a new row must have been on the screen before it can be answered. */
const READ_MS = 1_000;

const MAX_BATCH = 100;

/** The forms that answer questions: one, or several about one tool or of one program. */
export function addAnswerRoutes(
  app: Hono<{ Bindings: Bindings }>,
  { engine, pending, allowed, now }: AnswerRoutesSpec,
): void {
  app.post('/console/approvals/batch', async ({ env }) => {
    const { form, session } = env;
    requireRight(session, 'answer');
    const verdict = verdictOf(form, ['deny', 'once']);
    const picks = form.getAll('pick').slice(0, MAX_BATCH);
    if (picks.length === 0)
      throw new ConsoleRefusal(400, 'No question is selected. Select those that you have read.');
    const chosen = picks.map((pick) => {
      const [id = '', digest = '', shownAt] = pick.split(' ');
      requireRead(shownAt, now());
      const question = engine.approvals.get(id)?.question;
      if (question === undefined)
        throw new ConsoleRefusal(404, 'A selected question does not exist.');
      return { question, digest };
    });
    const tools = new Set(chosen.map(({ question }) => question.id));
    const programs = new Set(
      chosen.map(({ question }) => programThatAsks(engine.programs, question)?.id),
    );
    const areOfOneProgram = programs.size === 1 && !programs.has(undefined);
    // guard: console-batch-of-one-tool
    if (tools.size > 1 && !areOfOneProgram) {
      throw new ConsoleRefusal(
        400,
        'One answer is for questions about one tool, or of one program.',
      );
    }
    // guard: console-batch-without-high-risk
    if (chosen.some(({ question }) => question.risk === 'high')) {
      throw new ConsoleRefusal(400, 'High risk is answered one by one.');
    }
    let answered = 0;
    for (const { question, digest } of chosen) {
      await answer(engine.approvals, session, question, { verdict, digest });
      answered += 1;
    }
    return redirect(`/console/?done=${verdict === 'deny' ? 'denied' : 'allowed'}-${answered}`);
  });
  app.post('/console/approvals/:id', async ({ req, env }) => {
    const { form, session } = env;
    requireRight(session, 'answer');
    const question = engine.approvals.get(req.param('id'))?.question;
    if (question === undefined) throw new ConsoleRefusal(404, 'There is no such question.');
    requireRead(form.get('shown'), now());
    const verdict = verdictOf(form, question.offers);
    const proposal =
      verdict === 'always'
        ? proposalsFor(question, [...pending(), ...allowed()], now())
            .filter(({ name }) => name === form.get('rule'))
            // guard: rule-stored-as-shown
            .find(({ input }) => coverId(input) === form.get('covers'))
        : undefined;
    if (verdict === 'always' && proposal === undefined) {
      throw new ConsoleRefusal(
        409,
        'The rule that was shown does not fit any more. Load the page again.',
      );
    }
    const scope = verdict === 'session' ? scopeOf(question, pending()) : undefined;
    // Questions that came since may have widened it.
    // guard: session-scope-as-shown
    if (verdict === 'session' && coverId(scope) !== form.get('covers')) {
      throw new ConsoleRefusal(
        409,
        'Other questions arrived, so this session answer would cover other calls than those that were shown. Load the page again.',
      );
    }
    const reason = (form.get('reason') ?? '').trim();
    await answer(engine.approvals, session, question, {
      verdict,
      digest: form.get('digest') ?? '',
      ...(verdict === 'deny' && reason !== '' ? { reason } : {}),
      // No answer for a session covers credentials.
      ...(scope === undefined ? {} : { input: scope, withoutSecrets: true }),
      ...(proposal === undefined
        ? {}
        : {
            input: proposal.input,
            withoutSecrets: true,
            ...(proposal.rule.until === undefined ? {} : { until: proposal.rule.until }),
          }),
    });
    const done = verdict === 'deny' ? 'denied' : verdict === 'always' ? 'ruled' : 'allowed';
    return redirect(`/console/?done=${done}-1`);
  });
}

/** Throws if the question came to the page less than a second ago. `shown`: when it came. */
function requireRead(shown: string | null | undefined, nowMs: number): void {
  // guard: console-answer-after-reading
  if (!(nowMs - Number.parseInt(shown ?? '', 10) >= READ_MS)) {
    throw new ConsoleRefusal(
      409,
      'A question was shown for less than a second, so the answer does not count. Read it, and answer again.',
    );
  }
}

/** Answers a question as it was shown. Throws a refusal that the page can show. */
async function answer(
  approvals: Pick<Approvals, 'answer'>,
  { by }: Session,
  { approvalId }: StoredQuestion,
  given: Omit<Parameters<Approvals['answer']>[1], 'by'>,
): Promise<void> {
  await approvals
    .answer(approvalId, { ...given, by, approver: 'person', channel: 'http' })
    .catch((error: unknown) => {
      if (!isBulkheadError(error, 'APPROVAL_INVALID')) throw error;
      throw new ConsoleRefusal(error.details.why === 'unknown' ? 404 : 409, error.message);
    });
}

function verdictOf(form: URLSearchParams, offered: readonly Verdict[]): Verdict {
  const verdict = offered.find((one) => one === form.get('verdict'));
  if (verdict !== undefined) return verdict;
  throw new ConsoleRefusal(400, `The answer is one of ${offered.join(', ')}.`);
}
