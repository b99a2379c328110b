import type { Json } from '../../../sandbox/wire/messages.js';
import { effectiveRisk } from '../../approval/risk.js';
import { fits, type Rule } from '../../approval/rule.js';
import { parseNetwork } from '../../permissions/network.js';
import type { Settings } from '../types/settings.js';
import type { CallSpec } from './call.js';

/** A call that cannot change anything without a further question, and the rule that says so of a host. */
export interface ReadProof {
  readonly reason: string;
  readonly rule: Rule;
}

/**
 * Proves that a call only reads: its author declares that, every request that writes is held for approval
 * (`effects: 'ask'`), and a rule clears GET for each host that the plugin can reach. The author's word alone
 * proves nothing, because a server may also change data on a GET.
 */
export function proveRead(
  call: CallSpec,
  settings: Pick<Settings, 'effects' | 'tolerance' | 'hostPowers'>,
  rules: readonly Rule[],
): ReadProof | undefined {
  const { tool, place } = call;
  if ('remote' in place || tool.declaredRisk !== 'low' || tool.risk !== 'medium') return undefined;
  // guard: required-approval-not-proven-away
  if (tool.requireApproval || settings.tolerance === 'strict') return undefined;
  const { instance } = place;
  // guard: reads-proven-by-held-writes
  if (settings.effects !== 'ask' || instance.actsUncalled) return undefined;
  if (tool.confinement !== 'compartment') return undefined;
  const { permissions } = instance.grant;
  const rest = effectiveRisk({
    declared: 'low',
    reach: { ...permissions, network: [] },
    trusted: false,
    policy: 'proven',
    riskOfPower: settings.hostPowers.riskOf,
  });
  // guard: reads-proven-for-network-alone
  if (rest.band !== 'low') return undefined;
  const found = permissions.network.map((scope) => {
    const { host, subdomains } = parseNetwork(scope);
    return subdomains ? undefined : ruleThatClears(call, rules, host);
  });
  // guard: every-host-cleared
  if (found.includes(undefined)) return undefined;
  const rule = found.find((one) => one !== undefined);
  return (
    rule && {
      reason: `it declares that it only reads, rules clear GET for its hosts, and every other request asks (rule ${rule.id})`,
      rule,
    }
  );
}

/** The rule that says that a GET to this host changes nothing. */
export function ruleThatClears(
  { tool, place, inputText, options }: Pick<CallSpec, 'tool' | 'place' | 'inputText' | 'options'>,
  rules: readonly Rule[],
  host: string,
): Rule | undefined {
  const input: Json = JSON.parse(inputText);
  const { plugin, tool: name } = tool;
  const about = { plugin, tool: name, bundle: place.hash, input, tenant: options.tenant };
  const effect = `GET https://${host}`;
  return rules.find((rule) => isClearing(rule) && fits(rule, { ...about, effect }, Date.now()));
}

function isClearing({ verdict, effect }: Rule): boolean {
  return (
    verdict === 'allow' && typeof effect === 'object' && effect.method?.toUpperCase() === 'GET'
  );
}
