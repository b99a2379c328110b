import type { Json, JsonObject } from '../../wire/messages.js';
import { isRecord } from '../../wire/parse.js';

/** What the format says to the extension about itself. */
export interface Introduction {
  readonly manifest: JsonObject;
  /** A UUID in lower case. */
  readonly installationId: string;
}

export function readIntroduction(introduction: Json): Introduction {
  const given = asObject(introduction);
  const manifest = asObject(given['manifest'] ?? null);
  return {
    manifest,
    installationId: typeof given['installationId'] === 'string' ? given['installationId'] : '',
  };
}

function asObject(value: Json): JsonObject {
  return isRecord(value) ? value : {};
}
