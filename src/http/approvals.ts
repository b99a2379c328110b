import { isRecord } from '../../sandbox/wire/parse.js';
import type { ApprovalRequest, Verdict } from '../approval/approver.js';
import type { AnswerOutcome, PendingApprovals } from '../approval/pending.js';
import type { Mounted } from './app.js';
import { parseBody, readBody } from './body.js';
import { SERVER_LIMITS, type ServerLimits } from './limits.js';
import { requireToken } from './operator.js';
import { HttpRefusal, jsonResponse } from './refusal.js';

export interface ApprovalRoutesSpec {
  readonly pending: PendingApprovals;
  /** Always asked for here, as it is then: whoever has it decides what runs. */
  readonly token: string;
  readonly limits?: Partial<ServerLimits>;
}

/**
 * Questions that wait, for the operator: `GET /api/approvals` lists them, `POST /api/approvals/<id>`
 * answers one with `{ verdict, digest, reason?, by? }`. The digest is that of the question that was
 * seen.
 */
export function approvalRoutes(spec: ApprovalRoutesSpec): readonly Mounted[] {
  const { pending, limits } = spec;
  const caps = { ...SERVER_LIMITS, ...limits };
  const list = (request: Request): Response => {
    requireToken(request, spec.token);
    if (request.method !== 'GET') throw new HttpRefusal(405, 'Questions are listed with GET');
    return jsonResponse({ approvals: pending.list().map(shown) });
  };
  const answer = async (request: Request): Promise<Response> => {
    requireToken(request, spec.token);
    if (request.method !== 'POST') throw new HttpRefusal(405, 'A question is answered with POST');
    const id = new URL(request.url).pathname.split('/').at(-1) ?? '';
    const outcome = pending.answer(id, parseAnswer(parseBody(await readBody(request, caps), caps)));
    if (outcome === 'answered') return jsonResponse({ outcome });
    throw new HttpRefusal(outcome === 'gone' ? 404 : 409, SENTENCES[outcome]);
  };
  return [
    { path: '/api/approvals', access: 'operator', fetch: async (request) => list(request) },
    { path: '/api/approvals/:id', access: 'operator', fetch: answer },
  ];
}

const SENTENCES: Readonly<Record<Exclude<AnswerOutcome, 'answered'>, string>> = {
  gone: 'There is no such question, or nobody waits for its answer any more',
  another: 'The digest is not that of the question: what was seen is not what would run',
  'not-offered': 'That verdict is not among those that the question offers',
};

/** All but the signal, of which JSON knows nothing. */
function shown(request: ApprovalRequest): object {
  return { ...request, signal: undefined };
}

const VERDICTS: readonly Verdict[] = ['deny', 'once', 'session', 'always'];

const MAX_TEXT = 1_000;

function parseAnswer(data: unknown): {
  readonly verdict: Verdict;
  readonly digest: string;
  readonly reason?: string;
  readonly by?: string;
} {
  if (!isRecord(data)) throw new HttpRefusal(400, 'The body has to be a JSON object');
  const verdict = VERDICTS.find((one) => one === data['verdict']);
  const { digest, reason, by } = data;
  if (verdict === undefined)
    throw new HttpRefusal(400, `A verdict is one of ${VERDICTS.join(', ')}`);
  if (typeof digest !== 'string')
    throw new HttpRefusal(400, 'An answer names the digest it is for');
  return {
    verdict,
    digest,
    ...(typeof reason === 'string' ? { reason: reason.slice(0, MAX_TEXT) } : {}),
    ...(typeof by === 'string' ? { by: by.slice(0, MAX_TEXT) } : {}),
  };
}
