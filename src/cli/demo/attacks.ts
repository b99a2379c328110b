import type { CallResult, Engine, ErrorCode, Json } from '../../index.js';
import { isJsonObject } from '../arguments.js';
import type { Paint } from '../paint.js';
import { visible } from '../visible.js';

const TOOL = 'escape-artist__escape';

/** Enough for what comes to an end, and soon over for what does not. */
const TIMEOUT_MS = 2_000;

/** Failures that mean that the attack did not take place, so that nothing was stopped. */
const NOT_TRIED: ReadonlySet<ErrorCode | undefined> = new Set([
  'INVALID_INPUT',
  'TOOL_NOT_FOUND',
  'PLUGIN_INACTIVE',
  'LOAD_FAILED',
  'GUEST_START_FAILED',
  'QUARANTINED',
  'BUSY',
] as const);

export interface Attack {
  readonly name: string;
  readonly blocked: boolean;
  /** What stopped it, or what it got. */
  readonly evidence: string;
}

/** Lets the hostile plugin try everything that its tool says it can. */
export async function tryAttacks(engine: Engine, secretUrl: string): Promise<Attack[]> {
  const attacks: Attack[] = [];
  for (const name of namesOf(engine.catalog.find(TOOL)?.inputSchema)) {
    const result = await engine.call(TOOL, { attempt: name, secretUrl }, { timeoutMs: TIMEOUT_MS });
    attacks.push(judge(name, result));
  }
  return attacks;
}

function namesOf(schema: Json | undefined): string[] {
  const properties = property(schema, 'properties');
  const names = property(property(properties, 'attempt'), 'enum');
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

function property(value: Json | undefined, key: string): Json | undefined {
  return isJsonObject(value) ? value[key] : undefined;
}

function judge(name: string, result: CallResult): Attack {
  const text = result.content.map((block) => block.text).join(' ');
  if (result.isError) {
    const code = result.code ?? 'TOOL_FAILED';
    return { name, blocked: !NOT_TRIED.has(code), evidence: `${code}: ${text}` };
  }
  const got = property(result.value, 'got') ?? null;
  return got === null
    ? { name, blocked: true, evidence: 'it found nothing' }
    : { name, blocked: false, evidence: `IT GOT ${JSON.stringify(got)}` };
}

export function tellAttack({ name, blocked, evidence }: Attack, paint: Paint): string {
  const word = blocked ? paint('green', 'blocked') : paint('red', 'ESCAPED');
  return `  ${word}  ${visible(name)}\n           ${paint('dim', visible(evidence))}`;
}
