import { Ajv2020 } from 'ajv/dist/2020.js';
import { readFileSync } from 'node:fs';

const schema = JSON.parse(
  readFileSync(new URL('../../docs/cli-output.schema.json', import.meta.url), 'utf8'),
) as { readonly $defs: Readonly<Record<string, { readonly additionalProperties?: unknown }>> };
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true }).addSchema(schema, 'output');

/** The names of the outputs that docs/cli-output.schema.json describes. */
export const outputNames: readonly string[] = Object.keys(schema.$defs);

/** What differs between an output of this name and the document; empty if nothing does. */
export function outputErrors(name: string, printed: unknown): unknown {
  const validate = ajv.getSchema(`output#/$defs/${encodeURIComponent(name)}`);
  if (validate === undefined) return `no schema has the name ${name}`;
  if (validate(printed) !== true) return validate.errors;
  // A member that the schema does not name is refused, so that the document stays whole.
  const isClosed = schema.$defs[name]?.additionalProperties === false;
  const isRefused = validate({ ...(printed as object), more: 1 }) === false;
  return isClosed && !isRefused ? 'the schema takes an unknown member' : [];
}
