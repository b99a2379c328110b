import { object, optional } from '../../schema/shape-object.js';
import { array, boolean, string, type Shape } from '../../schema/shape.js';

/**
 * The `bulkhead` key of a `spindle.json`, for what Spindle's own permissions do not say: which
 * hosts, which variables, which files.
 *
 * ```json
 * "bulkhead": { "permissions": { "network": ["api.example.com"], "env": ["API_KEY"] } }
 * ```
 */
export interface BulkheadRequest {
  readonly permissions?: {
    readonly network?: readonly string[];
    readonly env?: readonly string[];
    readonly fs?: readonly string[];
    /** `false` asks for less than the default profile gives. */
    readonly time?: boolean;
    readonly random?: boolean;
    readonly storage?: boolean;
  };
}

export const bulkheadShape: Shape<BulkheadRequest> = object({
  permissions: optional(
    object({
      network: optional(array(string())),
      env: optional(array(string())),
      fs: optional(array(string())),
      time: optional(boolean),
      random: optional(boolean),
      storage: optional(boolean),
    }),
  ),
});
