import type { Approval } from '../approval/approval-api.js';
import type { StoredQuestion } from '../approval/approver.js';
import type { ApprovalStore, StoredAnswer } from '../approval/store.js';
import { makeStoredApprovals, type StoredApprovals } from '../approval/stored-approvals.js';
import { BulkheadError } from '../errors.js';
import type { CallAdmission } from './call/admission.js';
import type { CallSpec } from './call/call.js';
import type { CallOptions } from './types/options.js';

/**
 * The approvals of an engine: questions about calls, and their answers. They are stored in `.approvals`
 * of the storage directory, so that they outlive the engine. Other engines and commands with the same
 * storage directory see the same approvals.
 */
export interface Approvals extends StoredApprovals {
  /** Whether calls wait for the host: it has an `approve` function or a listener to `request`. */
  readonly attended: boolean;
  /**
   * Asks whether a call may run. Resolves with the id of the question (`apr_` and a random UUID), and
   * does not wait for the answer. When the question was approved, `call(tool, input, { approval: id })`
   * runs exactly this call, once. Rejects with the errors of `call`, with `POLICY_DENIED`, and with
   * `APPROVAL_DENIED` if a rule denies the call or too many questions are pending.
   */
  request(tool: string, input: unknown, options?: ApprovalOptions): Promise<string>;
  /**
   * `request`: calls the listener with each new question of this engine. While there is such a
   * listener, calls that need approval wait for an answer. `answer`: calls the listener with each
   * answer that this engine records. Returns the function that removes the listener.
   */
  on<Event extends keyof ApprovalListeners>(
    event: Event,
    listener: (told: ApprovalListeners[Event]) => void,
  ): () => void;
}

/** What the listeners of `engine.approvals.on` receive. */
export interface ApprovalListeners {
  readonly request: StoredQuestion;
  readonly answer: AnsweredQuestion;
}

/** Options of a question. Pass the same tenant and context to the call. */
export interface ApprovalOptions extends Pick<CallOptions, 'tenant' | 'policy' | 'context'> {
  /** Who asks, for the approver and the audit log. Default: none. */
  readonly asker?: string;
  /**
   * Your own id of the call, at most 1,000 characters, e.g. the id that the model gave to it. `find`
   * returns the question. If a question about the same call with the same reference is pending, or
   * approved and not spent, `request` resolves with its id and asks nothing. Default: none.
   */
  readonly reference?: string;
}

export interface AnsweredQuestion {
  readonly question: StoredQuestion;
  readonly answer: StoredAnswer;
}

interface ApprovalsSpec {
  readonly approval: Approval;
  readonly store: ApprovalStore;
  readonly admission: CallAdmission;
  readonly specOf: (tool: string, input: unknown, options: CallOptions) => CallSpec;
}

type Subscriptions = {
  readonly [Event in keyof ApprovalListeners]: (
    listener: (told: ApprovalListeners[Event]) => void,
  ) => () => void;
};

export function makeApprovals(spec: ApprovalsSpec): Approvals {
  const { approval, store, admission, specOf } = spec;
  const subscribe: Subscriptions = {
    request: (listener) => approval.onRequest(listener),
    answer: (listener) =>
      store.onChange(({ question, answer }) => {
        if (answer !== undefined) listener({ question, answer });
      }),
  };
  return {
    get attended() {
      return approval.attended();
    },
    ...makeStoredApprovals(store, approval.answer),
    request: async (tool, input, { asker, reference, ...options } = {}) => {
      if (reference !== undefined && reference.length > MAX_REFERENCE_CHARACTERS) throw tooLong();
      return admission.request(specOf(tool, input, options), { asker, reference });
    },
    on: (event, listener) => subscribe[event](listener),
  };
}

const MAX_REFERENCE_CHARACTERS = 1_000;

function tooLong(): BulkheadError<'INVALID_OPTIONS'> {
  return new BulkheadError(
    'INVALID_OPTIONS',
    `The option reference takes at most ${MAX_REFERENCE_CHARACTERS} characters. Pass a hash of a longer id.`,
    { option: 'reference' },
  );
}
