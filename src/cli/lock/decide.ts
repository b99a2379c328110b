import { BulkheadError } from '../../index.js';
import type { CliPowers } from '../powers.js';

/**
 * A person's yes to what was just shown: by a flag, or at the terminal by a whole word. Throws
 * `APPROVAL_REQUIRED` where there is neither, and `APPROVAL_DENIED` for anything but a yes.
 */
export async function demandYes(
  question: string,
  flag: { readonly given: boolean; readonly name: string; readonly subject: string },
  { ask, interrupted }: Pick<CliPowers, 'ask' | 'interrupted'>,
): Promise<void> {
  const { given, name, subject } = flag;
  if (given) return;
  if (ask === undefined) {
    throw new BulkheadError(
      'APPROVAL_REQUIRED',
      `Nobody is at a terminal to say yes. Look at what is shown above; to accept it write ${name}.`,
      { tool: subject },
    );
  }
  const line = await ask(`${question} Type yes, anything else is a no: `, interrupted);
  if (line.trim().toLowerCase() === 'yes') return;
  throw new BulkheadError('APPROVAL_DENIED', `${subject} was not accepted; nothing changed.`, {
    tool: subject,
  });
}
