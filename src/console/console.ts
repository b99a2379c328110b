import { Hono } from 'hono';
import type { StoredQuestion } from '../approval/approver.js';
import type { InputPolicy } from '../audit/note.js';
import type { AuditRecord } from '../audit/record.js';
import { type AuditVerdict, parseAnchors } from '../audit/verify.js';
import type { Engine } from '../engine/engine-api.js';
import { isBulkheadError, messageOf } from '../errors.js';
import { type Markup, html } from '../report/html/markup.js';
import {
  cookieOf,
  PAGE_HEADERS,
  readForm,
  requireFormToken,
  requireOwnPage,
  setCookie,
} from './door.js';
import { addAnswerRoutes } from './answer-routes.js';
import { makeLive } from './live.js';
import { answeredPage, approvalsPage, questionPage } from './pages/approvals.js';
import { auditPage, hasAudit, matchesText, NO_AUDIT } from './pages/audit.js';
import { addCallRoutes } from './call-routes.js';
import { enterPage, tokenPage } from './pages/enter.js';
import { barePage, type PagePath, page } from './pages/layout.js';
import { machinePage, type ShownRunner } from './pages/machine.js';
import { stopPage } from './pages/stop.js';
import { addPluginRoutes } from './plugin-routes.js';
import { watchActivity } from './plugin-activity.js';
import {
  type AnsweredQuestion,
  keepPastQuestions,
  lastOfEachTool,
  rowsOf,
  saverOf,
} from './queue.js';
import { keepRecentCalls, RECENT, RECENT_EVENTS, type RecentOptions } from './recent-calls.js';
import { ConsoleRefusal } from './refusal.js';
import { addReplayRoute } from './replay-route.js';
import { asset, type Bindings, htmlResponse, redirect } from './respond.js';
import { SCRIPT } from './script.js';
import { type Entrant, LINK_MS, makeSessions, type Right, type Session } from './sessions.js';
import { addDryRunRoute } from './dry-run-route.js';
import { addStopRoutes } from './stop-routes.js';
import { CONSOLE_STYLE, ICON } from './style.js';
import { addUpdateRoutes } from './update-routes.js';
import type { ConsoleUpdates } from './updates.js';
import { addWhyRoute } from './why-route.js';

/** What the console shows and changes. */
export type ConsoleEngine = Pick<
  Engine,
  | 'approvals'
  | 'audit'
  | 'call'
  | 'guarantees'
  | 'on'
  | 'plugins'
  | 'programs'
  | 'reload'
  | 'replay'
  | 'rules'
  | 'setEnabled'
  | 'stops'
>;

export interface ConsoleSpec {
  readonly engine: ConsoleEngine;
  /** The origin under which browsers reach this page. Read at each request. */
  readonly origin: () => string;
  /** What a token lets in, if it is one of the server's. */
  readonly entrantOf: (token: string) => Entrant | undefined;
  /** The person at this machine, who gets the one-time link. Absent: there is no such link. */
  readonly operator?: string | undefined;
  /** What may be shown of inputs. */
  readonly inputs: InputPolicy;
  readonly recent?: Partial<RecentOptions>;
  /** Updates of locked plugins. Absent: there is no lock file. */
  readonly updates?: ConsoleUpdates;
  /** The runners of a gateway. Absent: the engine is not a gateway. */
  readonly runners?: () => readonly ShownRunner[];
  readonly now: () => number;
}

/** The operator's page. */
export interface Console {
  /** Answers a request below `/console`. Calls `admitted` when the caller is in a session. */
  fetch(request: Request, admitted: () => void): Promise<Response>;
  /** A link that opens the console once, within minutes. `undefined` if there is no operator. */
  newLink(): string | undefined;
  /** Ends the event streams of open pages. */
  endStreams(): void;
  close(): void;
}

const ALL_RIGHTS: ReadonlySet<Right> = new Set<Right>(['view', 'answer', 'administer']);

/** Records on one page of the audit log. */
const RECORDS_SHOWN = 200;

export function createConsole(spec: ConsoleSpec): Console {
  const { engine, now, updates } = spec;
  const sessions = makeSessions(now);
  const recent = keepRecentCalls(spec.inputs, spec.recent, now);
  const activity = watchActivity(now);
  const past = keepPastQuestions(now, spec.recent?.hours ?? RECENT.hours);
  const pending = (): readonly StoredQuestion[] => {
    const list = engine.approvals.list();
    for (const question of list) past.add(question);
    return list;
  };
  /** Only answers of people count: a rule is made from what a person decided. */
  const answered = (): readonly AnsweredQuestion[] =>
    past.list().flatMap((question) => {
      const { verdict, approver } = engine.approvals.get(question.approvalId)?.answer ?? {};
      return approver === 'person' ? [{ question, denied: verdict === 'deny' }] : [];
    });
  const allowed = (): readonly StoredQuestion[] =>
    answered().flatMap(({ question, denied }) => (denied ? [] : [question]));
  const live = makeLive(() => pending().length);
  const unsubscribe = [
    engine.on(recent.listener, RECENT_EVENTS),
    engine.on(activity.listener),
    engine.on(live.listener),
  ];
  // Another process may ask and answer in the same storage directory.
  let lastIds = '';
  const poll = setInterval(() => {
    const ids = pending()
      .map(({ approvalId }) => approvalId)
      .join();
    if (ids !== lastIds) live.approvalsChanged();
    lastIds = ids;
  }, POLL_MS);
  poll.unref();

  const app = new Hono<{ Bindings: Bindings }>({ strict: false });

  const show = (session: Session, title: string, path: PagePath, content: Markup): Response =>
    htmlResponse(
      page(
        title,
        path,
        { session, pending: pending().length, stops: engine.stops.list() },
        content,
      ),
    );

  const approvalsView = (session: Session, done?: string): Response => {
    const waiting = pending();
    const nowMs = now();
    const rules = engine.rules.list();
    const common = {
      rules,
      nowMs,
      allowed: allowed(),
      inputs: spec.inputs,
      programs: engine.programs,
    };
    const rows = rowsOf({ ...common, pending: waiting, past: past.list() });
    const isRecent = ({ askedAtMs }: StoredQuestion): boolean => askedAtMs > nowMs - 3_600_000;
    const perHour = past.list().filter(isRecent).length;
    const earlier = rowsOf({ ...common, pending: lastOfEachTool(common.allowed), past: [] });
    const saver = saverOf(
      [...rows, ...earlier].flatMap((row) => row.rules.map(({ rule }) => rule)),
      answered().filter(({ question }) => isRecent(question)),
      rules,
      nowMs,
    );
    const view = { rows, nowMs, session, inputs: spec.inputs, perHour, saver, done };
    return show(session, 'Approvals', '/console/', approvalsPage(view));
  };

  app.get('/console', ({ env, req }) => approvalsView(env.session, saidDone(req.query('done'))));
  app.get('/console/approvals/:id', ({ req, env }) => {
    const entry = engine.approvals.get(req.param('id'));
    if (entry === undefined) throw new ConsoleRefusal(404, 'There is no such question.');
    if (entry.state === 'pending') {
      const [row] = rowsOf({
        pending: [entry.question],
        past: past.list(),
        rules: engine.rules.list(),
        nowMs: now(),
        allowed: allowed(),
        inputs: spec.inputs,
        programs: engine.programs,
      });
      const view = {
        rows: row === undefined ? [] : [row],
        nowMs: now(),
        session: env.session,
        inputs: spec.inputs,
      };
      return show(env.session, 'Approval', '/console/', questionPage(view));
    }
    const content = answeredPage(entry.question, entry.state, entry.answer);
    return show(env.session, 'Approval', '/console/', content);
  });
  addDryRunRoute(app, engine, show);
  addAnswerRoutes(app, { engine, pending, allowed, now });

  addPluginRoutes(app, { engine, activity, locked: () => updates?.ids() ?? [], show });
  if (updates !== undefined) addUpdateRoutes(app, { engine, updates, show });
  addCallRoutes(app, { engine, recent, past, show });
  addReplayRoute(app, { engine, recent, inputs: spec.inputs, show });
  addWhyRoute(app, { engine, show });

  const auditView = async (
    session: Session,
    query: (name: string) => string | undefined,
    verdict?: AuditVerdict,
  ): Promise<Response> => {
    if (!hasAudit(engine)) return show(session, 'Audit', '/console/audit', NO_AUDIT);
    const search = {
      type: (query('type') ?? '').trim(),
      plugin: (query('plugin') ?? '').trim(),
      text: (query('text') ?? '').trim(),
    };
    const found: AuditRecord[] = [];
    const filter = {
      ...(search.type === '' ? {} : { types: [search.type] }),
      ...(search.plugin === '' ? {} : { plugin: search.plugin }),
    };
    for await (const record of engine.audit.query(filter)) {
      if (!matchesText(record, search.text)) continue;
      found.push(record);
      if (found.length > RECORDS_SHOWN) found.shift();
    }
    const view = { session, head: engine.audit.head, records: found.toReversed(), search, verdict };
    return show(session, 'Audit', '/console/audit', auditPage(view));
  };
  app.get('/console/audit', ({ req, env }) => auditView(env.session, (name) => req.query(name)));
  app.post('/console/audit/verify', async ({ env: { form, session } }) => {
    if (!hasAudit(engine)) return redirect('/console/audit');
    const text = (form.get('anchors') ?? '').trim();
    const verdict = await engine.audit.verify(text === '' ? {} : { anchors: parseAnchors(text) });
    return auditView(session, () => undefined, verdict);
  });
  app.get('/console/machine', async ({ env }) => {
    const content = machinePage(await engine.guarantees(), spec.runners?.(), now());
    return show(env.session, 'Machine', '/console/machine', content);
  });
  app.get('/console/stop', ({ env }) => {
    const ids = engine.plugins().map(({ id }) => id);
    const content = stopPage(engine.stops.list(), ids, env.session);
    return show(env.session, 'Stop', '/console/stop', content);
  });
  addStopRoutes(app, engine);
  app.get('/console/events', () => live.stream());
  app.post('/console/leave', ({ req }) => {
    sessions.end(cookieOf(req.raw));
    return redirect('/console/enter', setCookie(undefined, spec.origin()));
  });
  app.notFound(() => {
    throw new ConsoleRefusal(404, 'There is no such page.');
  });
  app.onError((error) => {
    throw error;
  });

  /** Enters with the code of a link, or with a token of the server. */
  const enter = async (request: Request): Promise<Response> => {
    requireOwnPage(request, spec.origin());
    const form = await readForm(request);
    const code = form.get('code');
    const cookie = code === null ? byToken(form.get('token') ?? '') : byLink(code);
    const to = questionPath(form.get('to')) ?? '/console/';
    return redirect(to, setCookie(cookie, spec.origin()));
  };
  const byLink = (code: string): string => {
    const { operator } = spec;
    const cookie =
      operator === undefined
        ? undefined
        : sessions.exchange(code, { rights: ALL_RIGHTS, by: `${operator}, in the console` });
    if (cookie !== undefined) return cookie;
    throw new ConsoleRefusal(
      401,
      `This link was used before, or is older than ${LINK_MS / 60_000} minutes. Start the console again for a new one, or enter a token.`,
    );
  };
  const byToken = (token: string): string => {
    const entrant = spec.entrantOf(token);
    // guard: console-token-required
    if (entrant === undefined) throw new ConsoleRefusal(401, 'This is not a token of this server.');
    return sessions.start(entrant);
  };

  const answerRequest = async (request: Request, admitted: () => void): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url);
    if (request.method !== 'GET' && request.method !== 'POST') {
      throw new ConsoleRefusal(405, 'This page answers GET and POST.');
    }
    if (pathname === '/console/console.css') return asset(CONSOLE_STYLE, 'text/css');
    if (pathname === '/console/console.js') return asset(SCRIPT, 'text/javascript');
    if (pathname === '/console/icon.svg') return asset(ICON, 'image/svg+xml');
    if (pathname === '/console/enter') {
      if (request.method === 'POST') return enter(request);
      const code = searchParams.get('code');
      return htmlResponse(
        code === null
          ? barePage('Enter', tokenPage({ to: questionPath(searchParams.get('to')) }))
          : barePage('Open the console', enterPage(code)),
      );
    }
    const session = sessions.find(cookieOf(request));
    // guard: console-needs-session
    if (session === undefined) {
      if (request.method === 'GET' && pathname !== '/console/events')
        return redirect(`/console/enter${toQuery(pathname)}`);
      throw new ConsoleRefusal(401, 'This session has ended. Enter again.');
    }
    requireOwnPage(request, spec.origin());
    const posted = request.method === 'POST';
    const form = posted ? await readForm(request) : new URLSearchParams();
    if (posted) requireFormToken(form, session);
    admitted();
    return app.fetch(request, { session, form });
  };

  return {
    fetch: async (request, admitted) => {
      const response = await answerRequest(request, admitted).catch((error: unknown) => {
        const { status, message } = refusalOf(error);
        const inSession = sessions.find(cookieOf(request)) !== undefined;
        const content = inSession
          ? html`<p class="notice bad" role="alert">${message}</p>
              <p><a href="/console/">To the approvals</a></p>`
          : tokenPage(status === 404 ? {} : { problem: message });
        return htmlResponse(barePage(inSession ? 'This did not work' : 'Enter', content), status);
      });
      for (const [name, value] of Object.entries(PAGE_HEADERS)) response.headers.set(name, value);
      return response;
    },
    newLink: () =>
      spec.operator === undefined
        ? undefined
        : `${spec.origin()}/console/enter?code=${sessions.newCode()}`,
    endStreams: live.close,
    close: () => {
      clearInterval(poll);
      for (const end of unsubscribe) end();
      live.close();
      recent.clear();
    },
  };
}

/** Interval at which the console looks for questions of other processes. */
const POLL_MS = 1_000;

/** The path of one question, to which a link in a notice leads. Any other text is ignored. */
function questionPath(text: string | null): string | undefined {
  // guard: notice-link-returns-to-page
  const isQuestion = /^\/console\/approvals\/apr_[0-9a-f-]{36}$/.test(text ?? '');
  return isQuestion ? (text ?? undefined) : undefined;
}

function toQuery(pathname: string): string {
  const to = questionPath(pathname);
  return to === undefined ? '' : `?to=${encodeURIComponent(to)}`;
}

function saidDone(text: string | undefined): string | undefined {
  const [, what, count] = /^(allowed|denied|ruled)-(\d{1,3})$/.exec(text ?? '') ?? [];
  if (what === undefined) return undefined;
  if (what === 'ruled')
    return 'The question is allowed, and the rule is stored. It also allows the calls that wait and that it covers.';
  return `${count} ${count === '1' ? 'question' : 'questions'} ${what}.`;
}

function refusalOf(
  error: unknown,
): Pick<ConsoleRefusal, 'status' | 'message'> | { status: 500; message: string } {
  if (error instanceof ConsoleRefusal) return error;
  if (isBulkheadError(error)) return { status: 400, message: messageOf(error) };
  return { status: 500, message: 'The console failed. The server’s log says why.' };
}
