import type { Engine } from '../../index.js';
import { attemptsOf } from '../hostile/attempts.js';
import { judge } from '../hostile/judge.js';
import type { Vault } from '../hostile/vault.js';
import type { Paint } from '../paint.js';
import { visible } from '../visible.js';

const PLUGIN = 'escape-artist';

/** Enough for what comes to an end, and soon over for what does not. */
const TIMEOUT_MS = 2_000;

export interface Attack {
  readonly name: string;
  readonly blocked: boolean;
  /** What stopped it, or what it got. */
  readonly evidence: string;
}

/** Lets the hostile plugin try everything that its tool says it can. */
export async function tryAttacks(engine: Engine, { url, secret }: Vault): Promise<Attack[]> {
  const bait = { secretUrl: url, secretFile: '/etc/passwd', secretVariable: 'PATH' };
  const tools = engine.catalog.list().filter(({ plugin }) => plugin === PLUGIN);
  const attacks: Attack[] = [];
  for (const { tool, name, input } of attemptsOf(tools, bait)) {
    const { held, evidence } = judge(
      await engine.call(tool, input, { timeoutMs: TIMEOUT_MS }),
      {},
      [secret],
    );
    attacks.push({ name, blocked: held, evidence });
  }
  return attacks;
}

export function tellAttack({ name, blocked, evidence }: Attack, paint: Paint): string {
  const word = blocked ? paint('green', 'blocked') : paint('red', 'ESCAPED');
  return `  ${word}  ${visible(name)}\n           ${paint('dim', visible(evidence))}`;
}
