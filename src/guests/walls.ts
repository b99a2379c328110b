/** What stands between a guest and the machine, from the inside out. */
export type WallName =
  | 'compartment'
  | 'process'
  | 'empty-environment'
  | 'permission-model'
  | 'scuttled'
  | 'heap-limit'
  | 'memory'
  | 'cpu'
  | 'no-core-dump'
  | 'closed-descriptors'
  | 'dies-with-host';

export interface Guarantee {
  readonly wall: WallName;
  readonly stands: boolean;
  /** How it was found out on this machine, in a sentence. */
  readonly evidence: string;
  /** What it means for somebody who relies on it. */
  readonly meaning: string;
}
