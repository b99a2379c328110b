import type { Audit } from '../../src/audit/audit.js';
import { makeMemoryStops } from '../memory-stops.js';
import type { Approver, StoredQuestion } from '../../src/approval/approver.js';
import { makeRuleBook } from '../../src/approval/rule-book.js';
import { makeMemoryFiles, openApprovalStore } from '../../src/approval/store.js';
import { makeStoredApprovals } from '../../src/approval/stored-approvals.js';
import { type Console, type ConsoleEngine, createConsole } from '../../src/console/console.js';
import type { InputPolicy } from '../../src/audit/note.js';
import type { ShownRunner } from '../../src/console/pages/machine.js';
import type { ProgramStatus } from '../../src/engine/programs/program.js';
import type { ConsoleUpdates } from '../../src/console/updates.js';
import type { BulkheadEvent, EventListener, WithoutTime } from '../../src/events.js';
import { statusOf, tool } from '../report/builders.js';
import { afterEachTest } from '../tidying.js';

export const ORIGIN = 'http://127.0.0.1:4173';

export interface World {
  readonly console: Console;
  readonly engine: ConsoleEngine;
  readonly clock: { ms: number };
  readonly switched: readonly string[];
  /** The reloads of the engine. */
  readonly reloads: readonly string[];
  /** The calls that the console made. */
  readonly called: readonly {
    readonly tool: string;
    readonly input: unknown;
    readonly options: object;
  }[];
  readonly emit: (event: WithoutTime<BulkheadEvent>) => void;
  readonly ask: (more?: Partial<StoredQuestion>) => StoredQuestion;
  /** Loads a page in a session. */
  readonly get: (path: string, cookie?: string) => Promise<Response>;
  /** Sends a form of a page in a session, as a browser does. */
  readonly post: (
    path: string,
    fields: Readonly<Record<string, string>> | readonly (readonly [string, string])[],
    more?: { readonly cookie?: string; readonly headers?: Readonly<Record<string, string>> },
  ) => Promise<Response>;
  /** Enters with the one-time link; returns the cookie. */
  readonly enter: () => Promise<string>;
  /** The form token of that session. */
  readonly formToken: (cookie: string) => Promise<string>;
}

const open: Console[] = [];
afterEachTest(() => {
  for (const one of open.splice(0)) one.close();
});

/** A console of an engine that is only its approvals, its rules and its events. */
export function openWorld({
  audit = {},
  replay,
  updates,
  inputs = 'digest',
  runners,
  programs = [],
}: {
  readonly audit?: Partial<Audit>;
  readonly replay?: ConsoleEngine['replay'];
  readonly updates?: ConsoleUpdates;
  readonly inputs?: InputPolicy['inputs'];
  readonly runners?: readonly ShownRunner[];
  readonly programs?: ProgramStatus[];
} = {}): World {
  const clock = { ms: Date.parse('2026-11-23T10:00:00Z') };
  const now = (): number => clock.ms;
  const listeners = new Set<EventListener>();
  const switched: string[] = [];
  const reloads: string[] = [];
  const called: World['called'][number][] = [];
  const store = openApprovalStore(makeMemoryFiles(), now);
  const refuse: Approver = () => 'deny';
  const unused = (): never => {
    throw new Error(`not of this world ${refuse.name}`);
  };
  const engine: ConsoleEngine = {
    approvals: {
      ...makeStoredApprovals(store),
      attended: true,
      request: unused,
      on: () => () => {},
    },
    audit: {
      query: unused,
      stream: unused,
      flush: unused,
      verify: unused,
      get head() {
        return audit.head ?? unused();
      },
      ...withoutHead(audit),
    },
    call: async (named, input, options = {}) => {
      called.push({ tool: named, input, options });
      return {
        callId: 'call_dry',
        isError: false,
        content: [{ type: 'text', text: '<b>wrote</b>' }],
        durationMs: 3,
        dryRun: [
          { permission: 'network', method: 'POST', url: 'https://a.example/<i>', headers: [] },
          { permission: 'storage', operation: 'write', path: 'a.md' },
        ],
      };
    },
    guarantees: async () => [],
    on: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    programs: { list: () => programs, resume: unused, cancel: unused },
    plugins: () => [
      statusOf('notes', {
        permissions: { network: ['api.notes.example'] },
        tools: [tool('notes', 'write')],
      }),
    ],
    rules: makeRuleBook(),
    stops: makeMemoryStops(),
    reload: async () => void reloads.push('reload'),
    replay: replay ?? unused,
    setEnabled: async (id, on) => void switched.push(`${id} ${on}`),
  };
  const tokens: Readonly<Record<string, 'view' | 'answer' | 'administer'>> = {
    'views-views-views': 'view',
    'answers-answers-a': 'answer',
  };
  const console = createConsole({
    engine,
    origin: () => ORIGIN,
    entrantOf: (token) => {
      const right = Object.hasOwn(tokens, token) ? tokens[token] : undefined;
      return right && { rights: new Set(['view', right]), by: `the token to ${right}` };
    },
    operator: 'ada',
    inputs: { inputs, redact: ['password'] },
    ...(updates === undefined ? {} : { updates }),
    ...(runners === undefined ? {} : { runners: () => runners }),
    now,
  });
  open.push(console);
  let asked = 0;
  const send = (request: Request): Promise<Response> => console.fetch(request, () => {});
  const get: World['get'] = (path, cookie) =>
    send(new Request(`${ORIGIN}${path}`, { headers: cookie === undefined ? {} : { cookie } }));
  const post: World['post'] = (path, fields, { cookie, headers = {} } = {}) =>
    send(
      new Request(`${ORIGIN}${path}`, {
        method: 'POST',
        headers: {
          origin: ORIGIN,
          'content-type': 'application/x-www-form-urlencoded',
          ...(cookie === undefined ? {} : { cookie }),
          ...headers,
        },
        body: formText(fields),
      }),
    );
  return {
    console,
    engine,
    clock,
    switched,
    reloads,
    called,
    get,
    post,
    emit: (event) => {
      const timed = { atMs: clock.ms, ...event } as BulkheadEvent;
      for (const listener of listeners) listener(timed);
    },
    ask: (more = {}) => {
      asked += 1;
      const question: StoredQuestion = {
        approvalId: `apr_00000000-0000-4000-8000-${String(asked).padStart(12, '0')}`,
        kind: 'call',
        callId: `call_${asked}`,
        plugin: 'notes',
        bundle: 'sha512-abc',
        tool: 'write',
        id: 'notes:write',
        title: 'Write',
        input: { path: `a/${asked}.md`, text: 'some words' },
        shown: '',
        risk: 'medium',
        riskWhy: 'it can write',
        why: 'its manifest requires approval',
        digest: String(asked).repeat(64).slice(0, 64),
        offers: more.risk === 'high' ? ['deny', 'once'] : ['deny', 'once', 'session', 'always'],
        askedAtMs: clock.ms,
        expiresAtMs: clock.ms + 600_000,
        ...more,
      };
      store.ask(question);
      return question;
    },
    enter: async () => {
      const code = new URL(console.newLink() ?? '').searchParams.get('code') ?? '';
      return cookieIn(await post('/console/enter', { code }));
    },
    formToken: async (cookie) => {
      const text = await (await get('/console/', cookie)).text();
      return /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '';
    },
  };
}

/** A copy of it would read the head, which throws. */
function withoutHead({ head: _head, ...rest }: Partial<Audit>): Omit<Partial<Audit>, 'head'> {
  return rest;
}

function formText(fields: Parameters<World['post']>[1]): string {
  const pairs: readonly (readonly [string, string])[] = isList(fields)
    ? fields
    : Object.entries(fields);
  const form = new URLSearchParams();
  for (const [name, value] of pairs) form.append(name, value);
  return form.toString();
}

function isList(
  fields: Parameters<World['post']>[1],
): fields is readonly (readonly [string, string])[] {
  return Array.isArray(fields);
}

export function cookieIn(response: Response): string {
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}
