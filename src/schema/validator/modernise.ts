import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { isList, mapSubschemas } from '../subschemas.js';

/**
 * Says in today's words what schemas in the wild still say in older ones, over which ajv throws:
 * `exclusiveMinimum: true` (draft-04), `required: true` on a property (draft-03), and OpenAPI's
 * `nullable` where no `type` stands beside it.
 */
export function modernise(schema: JsonObject): JsonObject {
  const inner = mapSubschemas(schema, modernise);
  return Object.fromEntries(
    Object.entries(inner).flatMap(([keyword, value]) => translate(inner, keyword, value)),
  );
}

function translate(schema: JsonObject, keyword: string, value: Json): readonly [string, Json][] {
  const untypedNull = schema['nullable'] === true && schema['type'] === undefined;
  switch (keyword) {
    case 'exclusiveMinimum':
      return exclusive(keyword, value, schema['minimum']);
    case 'exclusiveMaximum':
      return exclusive(keyword, value, schema['maximum']);
    case 'required':
      return typeof value === 'boolean' ? [] : [[keyword, value]];
    case 'nullable':
      return schema['type'] === undefined ? [] : [[keyword, value]];
    case 'anyOf':
    case 'oneOf':
      return [[keyword, untypedNull && isList(value) ? [...value, { type: 'null' }] : value]];
    default:
      return [[keyword, value]];
  }
}

function exclusive(keyword: string, value: Json, bound: Json | undefined): [string, Json][] {
  if (typeof value !== 'boolean') return [[keyword, value]];
  return value && typeof bound === 'number' ? [[keyword, bound]] : [];
}
