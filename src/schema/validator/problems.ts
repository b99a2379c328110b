import type { ErrorObject } from 'ajv';

/** Problems that are named, and characters of each: a model reads them. */
const MAX_PROBLEMS = 10;
const MAX_CHARACTERS = 300;

/** Says what is wrong with an input, as `path: what is wrong`. */
export function describeErrors(errors: readonly ErrorObject[]): string[] {
  const problems = new Set(errors.slice(0, MAX_PROBLEMS).map(describe));
  return problems.size === 0 ? ['input: does not fit the schema'] : [...problems];
}

function describe(error: ErrorObject): string {
  const path = error.instancePath.slice(1).replaceAll('/', '.') || 'input';
  const text = `${path}: ${error.message ?? 'is not valid'}${more(error)}`;
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}

/** What ajv knows beyond its message. */
function more({ keyword, params }: ErrorObject): string {
  if (keyword === 'enum') return `: ${JSON.stringify(params['allowedValues'])}`;
  if (keyword === 'const') return ` ${JSON.stringify(params['allowedValue'])}`;
  const property: unknown = params['additionalProperty'] ?? params['unevaluatedProperty'];
  return property === undefined ? '' : `: ${JSON.stringify(property)}`;
}
