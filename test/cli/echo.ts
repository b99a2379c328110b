import type { CatalogTool } from '../../src/index.js';

export const echo: CatalogTool = {
  name: 'sample__echo',
  id: 'sample:echo',
  plugin: 'sample',
  tool: 'echo',
  title: 'Echo',
  description: 'Gives back its input',
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
  timeoutMs: 60_000,
  declaredRisk: 'low',
  risk: 'low',
  riskWhy: '',
  requireApproval: false,
  background: true,
  confinement: 'compartment',
};
