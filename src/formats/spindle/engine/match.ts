import { isRecord } from '../../../../sandbox/wire/json.js';
import type { JsonObject } from '../../../../sandbox/wire/messages.js';

/**
 * Whether an interceptor's `match` fits a generation (Spindle interceptors, Match). It has any of
 * `generationTypes`, `isDryRun` and `presetField: { path, exists?, oneOf?, notIn? }`; all must fit.
 * `presetField` reads `context.presetMetadata`. An unknown or malformed condition fits nothing.
 */
export function fits(match: JsonObject | undefined, context: JsonObject): boolean {
  if (match === undefined) return true;
  return Object.entries(match).every(([key, wanted]) => {
    switch (key) {
      case 'generationTypes':
        return Array.isArray(wanted) && wanted.includes(context['generationType']);
      case 'isDryRun':
        return wanted === (context['isDryRun'] ?? false);
      case 'presetField':
        return isRecord(wanted) && fieldFits(wanted, context['presetMetadata']);
      default:
        return false;
    }
  });
}

function fieldFits(wanted: Readonly<Record<string, unknown>>, metadata: unknown): boolean {
  const { path, exists, oneOf, notIn, ...unknown } = wanted;
  if (!Array.isArray(path) || Object.keys(unknown).length > 0) return false;
  const value = path.reduce<unknown>(
    (current, key) =>
      isRecord(current) && typeof key === 'string' && Object.hasOwn(current, key)
        ? current[key]
        : undefined,
    metadata,
  );
  if (exists !== undefined && exists !== (value !== undefined)) return false;
  if (oneOf !== undefined && !(Array.isArray(oneOf) && oneOf.includes(value))) return false;
  return notIn === undefined || (Array.isArray(notIn) && !notIn.includes(value));
}
