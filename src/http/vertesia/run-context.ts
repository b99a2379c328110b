import type { JsonObject } from '../../../sandbox/wire/messages.js';

/**
 * What a caller tells of the run, as far as plugins' systems have words for it: the run is the
 * conversation, and the use of the tool the request.
 */
export function runContext(metadata: JsonObject, toolUseId: string | undefined): JsonObject {
  const { run_id: run } = metadata;
  return {
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(typeof run === 'string' && run !== '' ? { conversationId: run.slice(0, MAX_ID) } : {}),
    ...(toolUseId === undefined ? {} : { requestId: toolUseId }),
  };
}

const MAX_ID = 200;
