import type { Approval } from '../../approval/approval-api.js';
import type { HeldRequest } from '../../approval/approver.js';
import { prepare, type Question, withoutQuery } from '../../approval/question.js';
import type { PowerAnswer } from '../../brokers/powers/broker.js';
import { type BytePart, sourceOf } from '../../brokers/powers/bytes.js';
import { BulkheadError } from '../../errors.js';
import type { RiskBand } from '../../plugin/risk.js';
import type { PlacedLocally } from '../plugins/placement.js';
import type { Settings } from '../types/settings.js';
import { questionOf } from './admission.js';
import type { CallSpec } from './call.js';

/** A writing request of a running call, as the machine describes it that runs the call. */
export interface CarriedEffect extends Pick<Question, 'riskWhy' | 'why'> {
  readonly effect: HeldRequest;
  readonly risk: RiskBand;
  /** What an approval of it covers on that machine. */
  readonly digest: string;
}

/** The use of a power by a running call. The bytes of its arguments are apart. */
export interface CarriedUse {
  readonly name: string;
  readonly arguments: unknown;
  readonly parts: readonly BytePart[];
  readonly contents: Uint8Array;
}

/** What only this process may decide or do for a call that runs on another machine. */
export interface CarriedRequests {
  /**
   * Resolves if the request may be sent: by the option `effects`, the rules or the approver. Rejects with the
   * errors of `Approval.ask`, and `FLEET_FAILED` if the other machine would ask another question.
   */
  allow(held: CarriedEffect, signal: AbortSignal): Promise<void>;
  /** Uses a power that this process lends. Rejects as `PowerBroker.use` does. */
  usePower(use: CarriedUse, signal: AbortSignal): Promise<PowerAnswer>;
}

export interface CarriedRequestsSpec {
  readonly approval: Approval;
  readonly settings: Pick<Settings, 'effects' | 'trustHints'>;
}

export function makeCarriedRequests(
  { approval, settings }: CarriedRequestsSpec,
  call: CallSpec,
  place: PlacedLocally,
): CarriedRequests {
  const { callId, tool, options, services } = call;
  return {
    allow: async ({ effect, risk, riskWhy, why, digest }, signal) => {
      const question: Question = {
        ...questionOf(call, why),
        kind: 'effect',
        terms: place.instance.terms,
        risk,
        riskWhy,
        effect,
        signal,
      };
      // guard: carried-effect-digest-compared
      if (prepare(question).digest !== digest) throw otherQuestion(call);
      if (settings.effects === 'off' || settings.trustHints.includes(tool.plugin)) return;
      if (settings.effects === 'ask') await approval.ask(question);
      else {
        services.events.emit({
          type: 'effect-undeclared',
          plugin: tool.plugin,
          tool: tool.tool,
          call: callId,
          effect: withoutQuery(effect),
        });
      }
      await services.beforeEffect(settings.effects === 'ask' ? risk : 'medium')?.();
    },
    usePower: async ({ name, arguments: args, parts, contents }, signal) => {
      const { instance } = place;
      const params = { name, arguments: args, ...(parts.length === 0 ? {} : { bytes: { parts } }) };
      const body = parts.length === 0 ? undefined : sourceOf([contents]);
      const use = async ({ powers }: Pick<typeof instance, 'powers'>): Promise<PowerAnswer> => {
        if (powers !== undefined) return powers.use(params, signal, { call: callId }, body);
        throw new BulkheadError('POWER_DENIED', `${tool.plugin} has no permission for powers.`, {
          plugin: tool.plugin,
          wanted: name,
          granted: [],
        });
      };
      return instance.tenants === undefined
        ? use(instance)
        : instance.tenants.share(options.tenant, use);
    },
  };
}

function otherQuestion({ tool }: CallSpec): BulkheadError<'FLEET_FAILED'> {
  return new BulkheadError(
    'FLEET_FAILED',
    `The runner asks about another artifact, input, tenant, grant or configuration of ${tool.id} than the gateway's, so no question was asked. Give both the same lock file and configuration.`,
    { reason: 'grant' },
  );
}
