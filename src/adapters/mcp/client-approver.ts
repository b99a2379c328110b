import type { ApprovalRequest, Approver } from '../../approval/approver.js';
import type { CallClient } from '../../plugin/call-client.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import { isolated } from '../../visible.js';

/**
 * Asks the client's user about a request of a running call, such as a text for the client's model. Used if the
 * host does not answer. Absent if the client cannot ask its user.
 */
export function clientApprover({ elicit }: CallClient): { readonly approve?: Approver } {
  if (elicit === undefined) return {};
  return {
    approve: async (request) => {
      // Calls are asked about before they run. The client never approves high risk.
      // guard: mcp-client-approves-requests-alone
      if (request.kind !== 'effect' || request.risk === 'high') {
        return { verdict: 'deny', reason: 'only the host can approve it' };
      }
      const answer = await elicit(
        { mode: 'form', message: formatRequest(request), requestedSchema: SCHEMA },
        request.signal,
      );
      const { action, content } = answer;
      const consents = action === 'accept' && isRecord(content) && content['decision'] === 'once';
      return {
        ...(consents
          ? { verdict: 'once' }
          : { verdict: 'deny', reason: "the client's user denied it" }),
        // The client shows the question to its user; the host cannot check that.
        by: "the client's user",
        approver: 'person',
        channel: 'mcp',
      };
    },
  };
}

const SCHEMA = {
  type: 'object',
  properties: {
    decision: {
      type: 'string',
      title: 'Allow this request?',
      description: 'once: allow this request. deny: do not send it.',
      enum: ['deny', 'once'],
    },
  },
  required: ['decision'],
};

/** The question, from the host's own data. The plugin's words are quoted and attributed to it. */
function formatRequest({ plugin, tool, risk, riskWhy, why, effect }: ApprovalRequest): string {
  const { method = '', url = '', headers = [], body = '' } = effect ?? {};
  return [
    `[${risk} risk] ${isolated(plugin)} is running its tool ${isolated(tool)}, which wants to send ${isolated(`${method} ${url}`)}.`,
    `The risk is ${risk} because ${isolated(riskWhy)}.`,
    `It needs approval because ${isolated(why)}.`,
    ...headers.map(([name, value]) => `${isolated(name)}: ${isolated(value)}`),
    `Text: ${isolated(JSON.stringify(body))}`,
  ].join('\n');
}
