import type { UnnamedTool } from '../../src/catalog/catalog.js';

/** A tool of which only the names matter. */
export function exampleTool(
  plugin: string,
  id: string,
  more: Partial<UnnamedTool> = {},
): UnnamedTool {
  return {
    plugin,
    tool: id,
    title: id,
    description: '',
    inputSchema: {},
    annotations: {},
    timeoutMs: 60_000,
    declaredRisk: 'low',
    risk: 'low',
    riskWhy: '',
    requireApproval: false,
    background: false,
    confinement: 'compartment',
    ...more,
  };
}
