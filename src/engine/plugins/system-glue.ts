import type { PowerDefinition } from '../../brokers/powers/host-powers.js';

/** The additions of one plugin system to an engine, from `src/formats/<system>/engine`. */
export interface SystemGlue<Api> {
  /** Powers for the system's plugins. A power of the host with the same name wins. */
  readonly powers: readonly PowerDefinition[];
  /** The engine's interface for hosts of that system. */
  readonly api: Api;
}
