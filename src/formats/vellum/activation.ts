import type { JsonObject } from '../../../sandbox/wire/messages.js';
import type { Plugin } from '../../plugin/plugin.js';
import { isObject } from '../../schema/shape.js';
import type { Activation } from '../format.js';

/** Whether a plugin runs: neither its directory nor the operator says that it is not to. */
export function decideActivation(plugin: Plugin, raw: unknown): Activation {
  const given: unknown = raw ?? {};
  const problems = isObject(given) ? [] : ['config: must be an object'];
  const isOff = isObject(given) && given['enabled'] === false;
  const reasons = [
    ...(plugin.disabled === undefined ? [] : [plugin.disabled]),
    ...(isOff ? [`it is disabled; set config[${JSON.stringify(plugin.id)}].enabled to true`] : []),
    ...problems.map((problem) => `its configuration is not valid: ${problem}`),
  ];
  const copy: JsonObject = JSON.parse(JSON.stringify(given));
  return {
    config: reasons.length === 0 ? copy : null,
    reasons,
    validationErrors: problems,
    environment: [],
  };
}
