/** Many machines: a gateway decides about calls, and runners run them. */
export { createGateway, type Gateway } from '../fleet/gateway.js';
export type { RunnerAudit } from '../fleet/audit-watch.js';
export type {
  FleetConnection,
  GatewayOptions,
  RunnerOptions,
  RunnerStatus,
} from '../fleet/options.js';
export { startRunner } from '../fleet/start-runner.js';
export type { Runner, RunnerProblem } from '../fleet/runner-api.js';
