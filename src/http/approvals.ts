import { isRecord } from '../../sandbox/wire/json.js';
import type { Verdict } from '../approval/approver.js';
import type { ApprovalAnswer, StoredApprovals } from '../approval/stored-approvals.js';
import { isBulkheadError } from '../errors.js';
import type { Route } from './route.js';
import { parseBody, readBody } from './body.js';
import { SERVER_LIMITS, type ServerLimits } from './limits.js';
import { HttpRefusal, jsonResponse } from './refusal.js';

export interface ApprovalRoutesSpec {
  readonly approvals: Pick<StoredApprovals, 'list' | 'answer'>;
  readonly limits?: Partial<ServerLimits>;
}

/**
 * The pending approvals. `GET /api/approvals` lists them. `POST /api/approvals/<id>` answers one with
 * `{ verdict, digest, reason?, by?, approver? }`, where `digest` is the one that was listed.
 */
export function approvalRoutes(spec: ApprovalRoutesSpec): readonly Route[] {
  const { approvals, limits } = spec;
  const caps = { ...SERVER_LIMITS, ...limits };
  const list = (request: Request): Response => {
    if (request.method !== 'GET') throw new HttpRefusal(405, 'List pending approvals with GET');
    return jsonResponse({ approvals: approvals.list() });
  };
  const answer = async (request: Request): Promise<Response> => {
    if (request.method !== 'POST') throw new HttpRefusal(405, 'Answer an approval with POST');
    const id = new URL(request.url).pathname.split('/').at(-1) ?? '';
    const given = parseAnswer(parseBody(await readBody(request, caps), caps));
    await approvals.answer(id, given).catch((error: unknown) => {
      if (!isBulkheadError(error, 'APPROVAL_INVALID')) throw error;
      throw new HttpRefusal(error.details.why === 'unknown' ? 404 : 409, error.message);
    });
    return jsonResponse({ outcome: 'answered' });
  };
  return [
    { path: '/api/approvals', access: ['view', 'answer'], fetch: async (request) => list(request) },
    { path: '/api/approvals/:id', access: ['answer'], fetch: answer },
  ];
}

const VERDICTS: readonly Verdict[] = ['deny', 'once', 'session', 'always'];

const MAX_TEXT_CHARACTERS = 1_000;

function parseAnswer(data: unknown): ApprovalAnswer {
  if (!isRecord(data)) throw new HttpRefusal(400, 'The body must be a JSON object');
  const verdict = VERDICTS.find((one) => one === data['verdict']);
  const { digest, reason, by, approver } = data;
  if (verdict === undefined)
    throw new HttpRefusal(400, `verdict must be one of ${VERDICTS.join(', ')}`);
  if (typeof digest !== 'string')
    throw new HttpRefusal(400, 'digest must be the digest of the approval');
  return {
    verdict,
    digest,
    // Several people may have the token, so the name is the word of the one who uses it.
    by:
      typeof by === 'string' && by.trim() !== ''
        ? `${by.slice(0, MAX_TEXT_CHARACTERS)}, with the token to answer`
        : 'the token to answer',
    // A client that answers for a person says so.
    approver: approver === 'person' ? 'person' : 'program',
    channel: 'http',
    ...(typeof reason === 'string' ? { reason: reason.slice(0, MAX_TEXT_CHARACTERS) } : {}),
  };
}
