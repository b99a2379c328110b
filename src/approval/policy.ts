/**
 * Which tools are offered at all, to one channel or in one engine: not whether they ask, but
 * whether they are there.
 */
export interface ToolPolicy {
  /** Only tools of these categories; one without a category is then not offered. Empty: all. */
  readonly allowedToolCategories?: readonly string[];
  /** Only these, by exported name or by id. Absent: all; empty: none. */
  readonly allowedTools?: readonly string[];
  /** Never these, by exported name or by id. Wins over what is allowed. */
  readonly blockedTools?: readonly string[];
}

interface Offered {
  readonly name: string;
  readonly id: string;
  readonly category?: string | undefined;
}

/** Why the policy does not offer a tool, with what would; `undefined` where it does. */
export function whyWithheld(policy: ToolPolicy, tool: Offered): string | undefined {
  const { allowedToolCategories: allowed = [], blockedTools: blocked = [] } = policy;
  if (blocked.includes(tool.id) || blocked.includes(tool.name)) {
    return `the policy names it in blockedTools`;
  }
  const { allowedTools } = policy;
  if (allowedTools?.includes(tool.id) === false && !allowedTools.includes(tool.name)) {
    return 'it is not in allowedTools';
  }
  const { category = '' } = tool;
  if (allowed.length === 0 || (category !== '' && allowed.includes(category))) return undefined;
  return category === ''
    ? 'it has no category, and the policy allows by allowedToolCategories alone'
    : `its category ${JSON.stringify(category)} is not in allowedToolCategories`;
}
