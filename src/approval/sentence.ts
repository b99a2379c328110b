import type { Condition, Rule } from './rule.js';

/** A rule as people read it: `allow weather:weather when input.city is "Oslo", for sha512-ab12…`. */
export function sentenceOf(rule: Rule): string {
  const which =
    rule.plugin === '*' && rule.tool === '*' ? 'everything' : `${rule.plugin}:${rule.tool}`;
  const conditions = Object.entries(rule.input ?? {}).map(
    ([path, condition]) => `input.${path} ${conditionText(condition)}`,
  );
  return [
    `${rule.verdict} ${which}`,
    ...(rule.effect === undefined ? [] : [`to send ${rule.effect}`]),
    ...(conditions.length === 0 ? [] : [`when ${conditions.join(' and ')}`]),
    ...(rule.tenant === undefined ? [] : [`for ${rule.tenant}`]),
    ...(rule.verdict === 'allow' ? [bundleText(rule.bundle)] : []),
    ...(rule.until === undefined ? [] : [`until ${rule.until}`]),
  ].join(' ');
}

function bundleText(bundle: string | undefined): string {
  if (bundle === undefined) return '(for no bundle: it never holds)';
  return bundle === '*'
    ? 'whatever its code becomes'
    : `as long as its code is ${bundle.slice(0, 19)}…`;
}

function conditionText(condition: Condition): string {
  if ('startsWith' in condition) return `starts with ${JSON.stringify(condition.startsWith)}`;
  if ('oneOf' in condition)
    return `is one of ${condition.oneOf.map((one) => JSON.stringify(one)).join(', ')}`;
  return `is ${JSON.stringify(condition.equals)}`;
}
