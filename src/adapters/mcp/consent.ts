import type {
  InputRequiredResult,
  RequestStateCodec,
  ServerContext,
} from '@modelcontextprotocol/server';
import type { ApprovalRequest, Approver, Verdict } from '../../approval/approver.js';
import type { McpSdk } from './sdk.js';

/** What the client carries from the question to its answer. */
export interface Carried {
  /** Of the tool and the input that were shown. */
  readonly digest: string;
  /** Names the question: an answer counts once. */
  readonly question: string;
}

/** Asks for one call by elicitation. */
export interface Consent {
  /** Says yes where this very input was approved; else no, and remembers what was asked. */
  readonly approve: Approver;
  /** The question for the client, where there is one. */
  question(): Promise<InputRequiredResult | undefined>;
}

/** The questions that were answered, so that no answer counts twice. */
export interface Answered {
  /** Whether this is the first answer to that question. */
  take(question: string): boolean;
}

export function makeAnswered(): Answered {
  const taken = new Set<string>();
  return {
    take: (question) => {
      if (taken.has(question)) return false;
      taken.add(question);
      if (taken.size > MAX_ANSWERED) for (const oldest of taken) return taken.delete(oldest);
      return true;
    },
  };
}

/** More than can be answered while what a client carries is good. */
const MAX_ANSWERED = 100_000;

/**
 * The answer is bound to what was asked: it counts for the digest that the client was shown, as we
 * signed it, and once.
 */
export function makeConsent(
  sdk: McpSdk,
  codec: RequestStateCodec<Carried>,
  answered: Answered,
  context: ServerContext,
): Consent {
  let open: ApprovalRequest | undefined;
  const carried = context.mcpReq.requestState<Carried>();

  const verdictFor = (request: ApprovalRequest): Verdict | undefined => {
    if (carried?.digest !== request.digest || !answered.take(carried.question)) return undefined;
    const given = sdk.inputResponse(context.mcpReq.inputResponses, KEY);
    if (given.kind !== 'elicit') return undefined;
    return given.action === 'accept' && given.content?.['decision'] === 'once' ? 'once' : 'deny';
  };

  return {
    approve: (request) => {
      // What a running tool sends is not in the question below: it would be a yes to the unseen.
      if (request.kind !== 'call') return { verdict: 'deny', reason: CALLS_ALONE };
      const verdict = verdictFor(request);
      if (verdict === 'once') return verdict;
      if (verdict === 'deny')
        return Promise.resolve({ verdict, reason: 'somebody at the client said no' });
      open = request;
      return Promise.resolve({ verdict: 'deny', reason: 'it is asked about first' });
    },
    question: async () => {
      if (open === undefined) return undefined;
      const state: Carried = { digest: open.digest, question: open.callId };
      return sdk.inputRequired({
        inputRequests: {
          [KEY]: sdk.inputRequired.elicit({
            mode: 'form',
            message: textOf(open),
            requestedSchema: SCHEMA,
          }),
        },
        requestState: await codec.mint(state, context),
      });
    },
  };
}

const CALLS_ALONE =
  'at a client of MCP only calls are asked about; a rule, or the host, could allow it';

const KEY = 'approve';

const SCHEMA = {
  type: 'object' as const,
  properties: {
    decision: {
      type: 'string' as const,
      title: 'Let it run?',
      description: 'once: this very call, with this input. deny: not at all.',
      enum: ['deny', 'once'],
    },
  },
  required: ['decision'],
};

/** The question, from the host's own data; the plugin's words are quoted, and named as its own. */
function textOf({ plugin, tool, title, why, input }: ApprovalRequest): string {
  const said = title === tool ? '' : ` The plugin calls it ${JSON.stringify(title)}.`;
  return [
    `${plain(plugin)} wants to run its tool ${plain(tool)}.${plain(said)}`,
    `It asks because ${plain(why)}.`,
    `With this input: ${plain(JSON.stringify(input))}`,
  ].join('\n');
}

/** Nothing that reorders or hides what is read. */
function plain(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
