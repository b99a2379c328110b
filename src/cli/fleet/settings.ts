/** The options of `bulkhead fleet`. */
export interface FleetSettings {
  readonly config?: string;
  readonly lock?: string | undefined;
  readonly tenant?: string;
  readonly storageCopied?: boolean;
  readonly key?: readonly string[];
  readonly anchor?: readonly string[];
  readonly json?: boolean;
}
