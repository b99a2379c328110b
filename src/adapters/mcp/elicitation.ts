import type * as sdk from '@modelcontextprotocol/server';
import type {
  CallToolResult,
  InputRequiredResult,
  RequestStateCodec,
  ServerContext,
} from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import type { StoredQuestion } from '../../approval/approver.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import type { Engine } from '../../engine/engine-api.js';
import { isolated, visible } from '../../visible.js';

/** MCP's own package, which is optional. */
export type McpSdk = typeof sdk;

/** The signed state that the client returns with the answer. */
export interface AnswerState {
  /** The stored question about a call that has not run. */
  readonly approval?: string;
  /** The running call that asked. */
  readonly call?: string;
}

/** The pending questions of clients that cannot answer, by the digest of the call. */
export type AskedCalls = LRUCache<string, string>;

/** More calls than an operator answers before they expire. */
const MAX_ASKED = 10_000;

export function makeAskedCalls(): AskedCalls {
  return new LRUCache({ max: MAX_ASKED });
}

/** One call that may need approval, of a client. */
export interface AskingCall {
  readonly tool: CatalogTool;
  readonly input: unknown;
  readonly tenant: string | undefined;
  /** The client, for the approver. */
  readonly asker: string;
  /** Whether the client can show a question to its user. */
  readonly canElicit: boolean;
}

/** Run the call, with that approval if there is one; or send this answer instead. */
export type ApprovalStep =
  | { readonly run: true; readonly approval?: string }
  | { readonly run: false; readonly answer: InputRequiredResult | CallToolResult };

export interface McpApprovalsSpec {
  readonly mcp: McpSdk;
  readonly engine: Engine;
  readonly codec: RequestStateCodec<AnswerState>;
  readonly asked: AskedCalls;
  readonly context: ServerContext;
}

/**
 * Decides how a call of a client gets its approval. If the host answers, the call waits for it. Else the
 * client's user answers by elicitation, for low and medium risk. All other calls are stored as a
 * question for the operator, and the client may repeat the call when it is answered.
 */
export async function approveCall(
  call: AskingCall,
  { mcp, engine, codec, asked, context }: McpApprovalsSpec,
): Promise<ApprovalStep> {
  const { approvals } = engine;
  const { tool, input, asker, canElicit } = call;
  const whose = call.tenant === undefined ? {} : { tenant: call.tenant };
  if (approvals.attended) return { run: true };
  const { verdict, digest } = engine.previewCall(tool.name, input, whose);
  if (verdict !== 'ask') return { run: true };
  const earlier = asked.get(digest);
  const state = earlier === undefined ? undefined : approvals.get(earlier)?.state;
  const ask = async (): Promise<string> => {
    if (earlier !== undefined && state === 'pending') return earlier;
    const id = await approvals.request(tool.name, input, { ...whose, asker });
    asked.set(digest, id);
    return id;
  };
  // The credential that calls answers only for a person at the client, and never for high risk.
  // guard: mcp-client-never-approves-high-risk
  if (canElicit && tool.risk !== 'high') {
    const answered = await recordAnswer(digest, { mcp, engine, context });
    if (answered !== undefined) return { run: true, approval: answered };
    const question = approvals.get(await ask())?.question;
    if (question !== undefined) {
      return { run: false, answer: await elicit(question, { mcp, codec, context }) };
    }
  }
  if (earlier !== undefined && (state === 'approved' || state === 'denied')) {
    asked.delete(digest);
    return { run: true, approval: earlier };
  }
  return { run: false, answer: waitsForOperator(tool, await ask()) };
}

/**
 * Records the answer that the client sends, if it answers the question about this very call. Returns
 * the approval, also if the answer is a denial: the call then reports it.
 */
async function recordAnswer(
  digest: string,
  { mcp, engine, context }: Pick<McpApprovalsSpec, 'mcp' | 'engine' | 'context'>,
): Promise<string | undefined> {
  const { approvals } = engine;
  const { approval } = context.mcpReq.requestState<AnswerState>() ?? {};
  if (approval === undefined) return undefined;
  const entry = approvals.get(approval);
  // guard: mcp-answer-digest-compared
  if (entry?.question.digest !== digest || entry.state !== 'pending') return undefined;
  const given = mcp.inputResponse(context.mcpReq.inputResponses, KEY);
  if (given.kind !== 'elicit') return undefined;
  const consents = given.action === 'accept' && given.content?.['decision'] === 'once';
  await approvals.answer(approval, {
    ...(consents
      ? { verdict: 'once' }
      : { verdict: 'deny', reason: "the client's user denied it" }),
    digest,
    // The client shows the question to its user; the host cannot check that.
    by: "the client's user",
    approver: 'person',
    channel: 'mcp',
  });
  return approval;
}

async function elicit(
  question: StoredQuestion,
  { mcp, codec, context }: Pick<McpApprovalsSpec, 'mcp' | 'codec' | 'context'>,
): Promise<InputRequiredResult> {
  return mcp.inputRequired({
    inputRequests: {
      [KEY]: mcp.inputRequired.elicit({
        mode: 'form',
        message: formatQuestion(question),
        requestedSchema: SCHEMA,
      }),
    },
    requestState: await codec.mint({ approval: question.approvalId }, context),
  });
}

function waitsForOperator({ id, risk }: CatalogTool, approval: string): CallToolResult {
  const text = `${visible(id)} needs approval, and its risk is ${risk}. It did not run. It was not denied. Ask the operator to answer the question ${approval}, e.g. with: bulkhead approvals ${approval} once. Then repeat the same call.`;
  return {
    content: [{ type: 'text', text }],
    isError: true,
    _meta: { 'dev.bulkhead/code': 'APPROVAL_REQUIRED', 'dev.bulkhead/approval': approval },
  };
}

const KEY = 'approve';

const SCHEMA = {
  type: 'object' as const,
  properties: {
    decision: {
      type: 'string' as const,
      title: 'Allow this call?',
      description: 'once: allow this call with this input. deny: do not run it.',
      enum: ['deny', 'once'],
    },
  },
  required: ['decision'],
};

/** The question, from the host's own data. The plugin's words are quoted and attributed to it. */
function formatQuestion({
  plugin,
  tool,
  title,
  why,
  risk,
  riskWhy,
  shown,
}: StoredQuestion): string {
  const called = title === tool ? '' : ` The plugin calls it ${isolated(JSON.stringify(title))}.`;
  return [
    `[${risk} risk] ${isolated(plugin)} wants to run its tool ${isolated(tool)}.${called}`,
    `The risk is ${risk} because ${isolated(riskWhy)}.`,
    `It needs approval because ${isolated(why)}.`,
    `Input: ${shown}`,
  ].join('\n');
}
