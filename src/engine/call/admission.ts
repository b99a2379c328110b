import type { Json } from '../../../sandbox/wire/messages.js';
import type { Approval } from '../../approval/approval-api.js';
import type { Decision, Rule } from '../../approval/rule.js';
import type { RuleBook } from '../../approval/rule-book.js';
import { whyWithheld } from '../../approval/policy.js';
import { type Covered, makeDigest, type Question } from '../../approval/question.js';
import { refusals } from '../../approval/refusals.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import { BulkheadError } from '../../errors.js';
import { withoutLinks } from '../node/paths.js';
import type { Placed } from '../plugins/placement.js';
import type { StopGate } from '../../stops/gate.js';
import { explainStop, stoppedError } from '../../stops/stop.js';
import type { CallOptions } from '../types/options.js';
import { answerOf, type CallResult, failureOf } from '../types/result.js';
import type { Settings } from '../types/settings.js';
import type { CallSpec } from './call.js';
import type { ReadProof } from './read-proof.js';

export interface CallAdmissionSpec {
  readonly approval: Approval;
  readonly settings: Pick<Settings, 'rules' | 'policy'>;
  /** The rules of the file, or those that last until the engine closes. */
  readonly rules: RuleBook;
  /** The current tool of that id, and where it runs. Throws `TOOL_NOT_FOUND`, `PLUGIN_INACTIVE`. */
  readonly find: (id: string) => { readonly tool: CatalogTool; readonly place: Placed };
  readonly run: (spec: CallSpec) => Promise<CallResult>;
  /** What the operator stopped. */
  readonly stops: StopGate;
  /** Proves that a call only reads. Absent if calls run elsewhere. */
  readonly prove?: ((call: CallSpec) => ReadProof | undefined) | undefined;
}

export interface CallAdmission {
  /** Runs a call when it is admitted. A refused call resolves with an error result. */
  run(call: CallSpec): Promise<CallResult>;
  /** Decides a call without running it and without asking the approver. Throws `INVALID_RULES`. */
  preview(call: CallSpec): CallDecision;
  /**
   * Stores the question about a call, and returns its id. Throws `POLICY_DENIED`, and
   * `APPROVAL_DENIED` if a rule denies the call or the question cannot be stored.
   */
  request(call: CallSpec, by: Asker): string;
}

/** Who asks, and the caller's own id of the call. */
export type Asker = Pick<Question, 'asker' | 'reference'>;

/** The decision about a call, before the approver is asked. */
export interface CallDecision {
  readonly verdict: 'run' | 'ask' | 'deny';
  readonly reason: string;
  /**
   * sha256 over all that an approval of this call covers: artifact, tool, input, tenant, effective
   * grant, configuration and risk. It identifies the call. It does not approve anything.
   */
  readonly digest: string;
  /** The rule that decides. Absent if no rule matches. */
  readonly rule?: Rule;
}

/**
 * Admits calls. It checks the policies first, then the rules, then asks the approver. A call's
 * deadline starts when the call runs, so the approver's time does not count.
 */
export function makeCallAdmission(spec: CallAdmissionSpec): CallAdmission {
  const { approval, settings, rules, stops } = spec;

  /** Throws `STOPPED`. */
  const requireNotStopped = ({ tool, options }: CallSpec): void => {
    const stop = stops.find(tool.plugin, options.tenant);
    // guard: stopped-call-refused
    if (stop !== undefined) throw stoppedError(stop);
  };

  /** The call may have waited for a person since it was admitted. */
  const run = async (call: CallSpec): Promise<CallResult> => {
    requireNotStopped(call);
    return spec.run(call);
  };

  const judge = (call: CallSpec): Judgement => {
    const { tool, options } = call;
    const stop = stops.find(tool.plugin, options.tenant);
    if (stop !== undefined) return { verdict: 'deny', reason: explainStop(stop) };
    const withheld = whyRefused(tool, options, settings);
    if (withheld !== undefined) return { verdict: 'deny', reason: withheld };
    const decision = ruled(call, approval, rules);
    if (decision === undefined) {
      if (tool.asks === undefined)
        return { verdict: 'run', reason: `its risk is ${tool.risk}: ${tool.riskWhy}` };
      const proof = spec.prove?.(call);
      return proof === undefined
        ? { verdict: 'ask', reason: tool.asks }
        : { verdict: 'run', ...proof, isProven: true };
    }
    const { rule } = decision;
    return { verdict: WORDS[decision.verdict], reason: whyByRule(decision), rule };
  };

  const admit = async (call: CallSpec): Promise<CallSpec> => {
    const { tool, place, options } = call;
    requireNotStopped(call);
    const { verdict, reason, rule, isProven } = judge(call);
    // guard: resumed-call-checked-again
    if (verdict === 'deny' && rule === undefined) throw policyDenied(tool, reason);
    if (options.approval !== undefined && options.dryRun !== true) {
      return bound(call, approval.spend(options.approval, questionOf(call, tool.asks ?? reason)));
    }
    // If a rule allows a tool that needs approval, an approval event is emitted, as for a person.
    // guard: approval-required
    if (verdict === 'run' && (rule === undefined || tool.asks === undefined)) return call;
    // A dry run changes nothing, so it needs no approval.
    if (options.dryRun === true && verdict !== 'deny') return call;
    const question = questionOf(call, isProven === true ? reason : (tool.asks ?? reason));
    const digest = await approval.ask(
      isProven === true ? { ...question, provenBy: rule } : question,
    );
    // The plugin may have been replaced in the meantime. Only the approved version may run.
    const now = spec.find(tool.id);
    const next = { ...call, ...now };
    // guard: approval-digest-compared
    if (digestOf(next) === digest) return bound(next, digest);
    return now.place === place ? Promise.reject(changed(tool)) : admit(next);
  };

  return {
    preview: (call) => {
      const judged = judge(call);
      const digest = digestOf(call);
      // An answer for the whole session covers this call too.
      if (judged.verdict === 'ask' && approval.remembers(questionOf(call, judged.reason))) {
        return { verdict: 'run', reason: 'it was approved for this session', digest };
      }
      const { isProven: _, ...decision } = judged;
      return { ...decision, digest };
    },
    request: (call, by) => {
      const { tool } = call;
      requireNotStopped(call);
      const { verdict, reason, rule } = judge(call);
      if (verdict === 'deny' && rule === undefined) throw policyDenied(tool, reason);
      const question = { ...questionOf(call, tool.asks ?? reason), ...by };
      if (verdict === 'deny' && rule !== undefined) {
        throw refusals.byRule(question, { verdict: 'deny', rule });
      }
      return approval.request(question);
    },
    run: (call) => {
      const { tool, options } = call;
      const unusual =
        tool.asks ?? settings.policy ?? settings.rules ?? options.policy ?? options.approval;
      // guard: rules-of-engine-apply
      const isRuled = unusual === undefined && rules.list().length > 0;
      const isStopped = stops.find(tool.plugin, options.tenant) !== undefined;
      if (unusual === undefined && !isRuled && !isStopped && options.unattended !== true)
        return spec.run(call);
      const began = performance.now();
      return admit(call)
        .then(run)
        .catch((error: unknown) =>
          answerOf(call.callId, began, failureOf(error, tool), { format: call.place.format, tool }),
        );
    },
  };
}

type Judgement = Omit<CallDecision, 'digest'> & { readonly isProven?: true };

const WORDS = { allow: 'run', ask: 'ask', deny: 'deny' } as const;

/** Why the policies withhold a tool from this call. `availableTools` uses the same check. */
export function whyRefused(
  tool: CatalogTool,
  { policy, unattended = false }: Pick<CallOptions, 'policy' | 'unattended'>,
  settings: Pick<Settings, 'policy'>,
): string | undefined {
  for (const one of [settings.policy, policy]) {
    const why = one === undefined ? undefined : whyWithheld(one, tool);
    if (why !== undefined) return why;
  }
  if (!unattended || tool.background) return undefined;
  return 'the run is unattended, and the tool may not run unattended';
}

function ruled(
  { tool, place, inputText, options }: CallSpec,
  approval: Approval,
  rules: RuleBook,
): Decision | undefined {
  if (rules.list().length === 0) return undefined;
  const input: Json = JSON.parse(inputText);
  const { tenant } = options;
  const about = { plugin: tool.plugin, tool: tool.tool, bundle: place.hash, input };
  // guard: rule-bound-to-tenant
  return approval.ruled({ ...about, tenant }, tool.risk);
}

function whyByRule({ verdict, rule }: Decision): string {
  const does = { allow: 'allows it', ask: 'makes it ask', deny: 'denies it' }[verdict];
  return `rule ${rule.id} ${does}${rule.reason === undefined ? '' : `: ${rule.reason}`}`;
}

/** The question that the approver gets about a call. */
export function questionOf(call: CallSpec, why: string): Question {
  const { callId, tool, place, inputText, options } = call;
  const { conversationId, isInteractive } = options.context ?? {};
  return {
    ...coveredBy(call),
    kind: 'call',
    callId,
    plugin: tool.plugin,
    version: place.version,
    tool: tool.tool,
    title: tool.title,
    inputText,
    riskWhy: tool.riskWhy,
    why,
    ...(typeof conversationId === 'string' ? { conversationId } : {}),
    approve: options.approve,
    attended: options.unattended !== true && isInteractive !== false,
    signal: options.signal ?? new AbortController().signal,
  };
}

/** What an approval of this call covers now, without its input. */
function coveredBy({ tool, place, options }: CallSpec): Omit<Covered, 'inputText' | 'effect'> {
  return {
    id: tool.id,
    bundle: place.hash,
    risk: tool.risk,
    terms: termsOf(place, options),
    tenant: options.tenant,
  };
}

/**
 * The grant and the configuration, and the directories that the call reaches: the real path of each
 * mount, because a link may lead elsewhere after the answer, and the caller's working directory.
 */
function termsOf(place: Placed, { context }: CallOptions): Question['terms'] {
  if ('remote' in place) return null;
  const { terms } = place.instance;
  const { workingDir } = context ?? {};
  if (typeof workingDir !== 'string') return terms;
  return {
    ...terms,
    // guard: approval-bound-to-working-directory
    workingDir: withoutLinks(workingDir),
  };
}

/** The digest of what an approval of this call covers now. */
export function digestOf(call: CallSpec): string {
  return digestsOf(call)();
}

/** Returns what computes that digest each time: the grant and the directories of a call may change. */
export function digestsOf(call: CallSpec): () => string {
  return makeDigest({ id: call.tool.id, inputText: call.inputText }, () => coveredBy(call));
}

/** The approved call. It is compared again when it runs: it may wait for its turn and for a guest. */
export function bound(
  call: CallSpec,
  digest: string,
  digestNow: () => string = digestsOf(call),
): CallSpec {
  return {
    ...call,
    whyNotApproved: () =>
      digestNow() === digest ? undefined : failureOf(changed(call.tool), call.tool),
  };
}

function policyDenied({ id }: CatalogTool, why: string): BulkheadError<'POLICY_DENIED'> {
  return new BulkheadError('POLICY_DENIED', `${id} is not offered here: ${why}.`, { tool: id });
}

function changed({ id }: CatalogTool): BulkheadError<'APPROVAL_DENIED'> {
  return new BulkheadError(
    'APPROVAL_DENIED',
    `${id} has changed since it was approved. Call again to approve its present version.`,
    { tool: id },
  );
}
