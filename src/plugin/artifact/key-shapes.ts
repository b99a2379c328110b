/** A kind of secret that can be recognised by its form, and its name for messages. */
interface KeyShape {
  readonly name: string;
  readonly pattern: RegExp;
}

/** Forms that other text does not have: a false alarm would teach authors to ignore the true ones. */
const SHAPES: readonly KeyShape[] = [
  {
    name: 'a private key',
    // With its content: libraries name the header alone.
    pattern:
      /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr])*[A-Za-z0-9+/:=\- ,\\\r\n]{64}/,
  },
  {
    name: 'a private key',
    // A JWK, with its members in any order.
    pattern: /\{(?=[^{}]{0,2000}"kty"\s*:)(?=[^{}]{0,2000}"d"\s*:\s*"[\w-]{40,}")/,
  },
  { name: 'an AWS access key', pattern: /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/ },
  { name: 'a GitHub token', pattern: /\b(?:gh[pousr]_\w{36}|github_pat_\w{50})/ },
  { name: 'a GitLab token', pattern: /\bglpat-[\w-]{20}/ },
  { name: 'an npm token', pattern: /\bnpm_[A-Za-z0-9]{36}\b/ },
  { name: 'a Slack token', pattern: /\bxox[abposr]-\d[\w-]{20}/ },
  { name: 'a Stripe key', pattern: /\b[rs]k_live_[A-Za-z0-9]{20}/ },
  { name: 'a Google API key', pattern: /\bAIza[\w-]{35}/ },
  { name: 'an Anthropic API key', pattern: /\bsk-ant-[\w-]{32}/ },
  { name: 'an OpenAI API key', pattern: /\bsk-(?:proj-|svcacct-)?[\w-]{20,}T3BlbkFJ[\w-]{20}/ },
  {
    name: 'a signed token (JWT)',
    pattern: /\beyJ[\w-]{16,}\.eyJ[\w-]{16,}\.[\w-]{20}/,
  },
];

/** The secrets that a text seems to contain, by name. Their values are not returned. */
export function keyShapesIn(text: string): readonly string[] {
  const found = SHAPES.filter(({ pattern }) => pattern.test(text)).map(({ name }) => name);
  return [...new Set(found)];
}
