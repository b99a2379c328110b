import type { Json } from '../../../sandbox/wire/messages.js';
import type { Approval } from '../../approval/approval.js';
import type { Decision } from '../../approval/decide.js';
import { whyWithheld } from '../../approval/policy.js';
import { prepare, type Question } from '../../approval/question.js';
import type { Rule } from '../../approval/rule.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import { BulkheadError } from '../../errors.js';
import type { CallSpec } from './call.js';
import type { CallOptions } from '../options/options.js';
import type { Placed } from './placement.js';
import { answerOf, type CallResult, failureOf } from './result.js';
import type { Settings } from '../options/settings.js';

export interface ConsentSpec {
  readonly approval: Approval;
  readonly settings: Pick<Settings, 'rules' | 'policy'>;
  /** The tool of that id and where it runs, as they are now. Throws `TOOL_NOT_FOUND` and the like. */
  readonly find: (id: string) => { readonly tool: CatalogTool; readonly place: Placed };
  readonly run: (spec: CallSpec) => Promise<CallResult>;
}

export interface Consent {
  /** Runs a call as soon as it may run; refuses it by its result where it may not. */
  run(call: CallSpec): Promise<CallResult>;
  /** What would become of a call, without running it or asking anybody. Throws `INVALID_RULES`. */
  foresee(call: CallSpec): Foreseen;
}

/** What decides a call, before anybody is asked. */
export interface Foreseen {
  readonly verdict: 'run' | 'ask' | 'deny';
  readonly why: string;
  /** The rule that decides, where one does. */
  readonly rule?: Rule;
}

/**
 * Lets calls through to where they run: first what the policies offer at all, then what the rules
 * say, then whoever has to be asked. A call's deadline begins when it runs: people take longer than
 * tools.
 */
export function makeConsent(spec: ConsentSpec): Consent {
  const { approval, settings, run } = spec;

  const foresee = (call: CallSpec): Foreseen => {
    const { tool, options } = call;
    const withheld = whyRefused(tool, options, settings);
    if (withheld !== undefined) return { verdict: 'deny', why: withheld };
    const decision = ruled(call, approval, settings);
    if (decision === undefined) {
      return tool.asks === undefined
        ? { verdict: 'run', why: `its risk is ${tool.risk}: ${tool.riskWhy}` }
        : { verdict: 'ask', why: tool.asks };
    }
    const { rule } = decision;
    return { verdict: WORDS[decision.verdict], why: whyByRule(decision), rule };
  };

  const admit = async (call: CallSpec): Promise<CallSpec> => {
    const { tool, place, options } = call;
    const { verdict, why, rule } = foresee(call);
    if (verdict === 'deny' && rule === undefined) throw policyDenied(tool, why);
    // What a rule lets run that would ask is told as an approval, like one by a person.
    if (verdict === 'run' && (rule === undefined || tool.asks === undefined)) return call;
    // A rehearsal changes nothing, so that somebody can see it before the real call is approved.
    if (options.rehearse === true && verdict !== 'deny') return call;
    const digest = await approval.ask(questionOf(call, tool.asks ?? why));
    // While somebody was thinking the plugin may have been replaced: what they saw has to run.
    const now = spec.find(tool.id);
    const next = { ...call, ...now };
    if (prepare(questionOf(next, '')).digest === digest) return next;
    return now.place === place ? Promise.reject(changed(tool)) : admit(next);
  };

  return {
    foresee,
    run: (call) => {
      const { tool, options } = call;
      const unusual = tool.asks ?? settings.policy ?? settings.rules ?? options.policy;
      if (unusual === undefined && options.unattended !== true) return run(call);
      const began = performance.now();
      return admit(call).then(run, (error: unknown) =>
        answerOf(call.callId, began, failureOf(error, tool), { format: call.place.format, tool }),
      );
    },
  };
}

const WORDS = { allow: 'run', ask: 'ask', deny: 'deny' } as const;

/** Why a tool is not there for this call; the same says what a catalog for such calls shows. */
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
  return 'nobody attends this run, and it is not one of the tools that may run unattended';
}

function ruled(
  { tool, place, inputText, options }: CallSpec,
  approval: Approval,
  { rules }: Pick<Settings, 'rules'>,
): Decision | undefined {
  if (rules === undefined || rules.list().length === 0) return undefined;
  const input: Json = JSON.parse(inputText);
  const { tenant } = options;
  const about = { plugin: tool.plugin, tool: tool.tool, bundle: place.hash, input };
  return approval.ruled({ ...about, tenant }, tool.risk);
}

function whyByRule({ verdict, rule }: Decision): string {
  const does = { allow: 'allows it', ask: 'makes it ask', deny: 'denies it' }[verdict];
  return `rule ${rule.id} ${does}${rule.reason === undefined ? '' : `: ${rule.reason}`}`;
}

/** What is asked about a call. */
function questionOf({ callId, tool, place, inputText, options }: CallSpec, why: string): Question {
  const { conversationId, isInteractive } = options.context ?? {};
  return {
    kind: 'call',
    callId,
    plugin: tool.plugin,
    version: place.version,
    tool: tool.tool,
    id: tool.id,
    title: tool.title,
    bundle: place.hash,
    inputText,
    risk: tool.risk,
    riskWhy: tool.riskWhy,
    why,
    tenant: options.tenant,
    ...(typeof conversationId === 'string' ? { conversationId } : {}),
    approve: options.approve,
    attended: options.unattended !== true && isInteractive !== false,
    signal: options.signal ?? new AbortController().signal,
  };
}

function policyDenied({ id }: CatalogTool, why: string): BulkheadError<'POLICY_DENIED'> {
  return new BulkheadError('POLICY_DENIED', `${id} is not offered here: ${why}.`, { tool: id });
}

function changed({ id }: CatalogTool): BulkheadError<'APPROVAL_DENIED'> {
  return new BulkheadError(
    'APPROVAL_DENIED',
    `${id} is not what was approved any more. Call again to be asked about what it is now.`,
    { tool: id },
  );
}
