import type { ApprovalRequest, Approver } from '../index.js';
import type { CliPowers } from './powers.js';
import { jsonLines, visible } from './visible.js';

/**
 * Who answers where a tool asks first: `--yes` does, else the person at the terminal. Without
 * either there is no approver, and the engine refuses the call as `APPROVAL_REQUIRED`.
 */
export function chooseApprover(
  yes: boolean,
  { ask }: Pick<CliPowers, 'ask'>,
): Approver | undefined {
  if (yes) return () => 'once';
  if (ask === undefined) return undefined;
  return async (request) => {
    const answer = await ask(question(request), request.signal);
    // Only a whole yes is one: an empty line, an end of input and a typing mistake are no.
    return /^y(es)?$/i.test(answer.trim())
      ? 'once'
      : { verdict: 'deny', reason: 'answered no at the terminal' };
  };
}

/** The question, from the host's own data; the plugin's words are quoted, and named as its own. */
function question({ plugin, tool, title, why, input }: ApprovalRequest): string {
  const lines = [
    '',
    `${visible(plugin)} wants to run its tool ${visible(tool)}`,
    ...(title === tool ? [] : [`  the plugin calls it  "${visible(title)}"`]),
    `  asks because         ${visible(why)}`,
    '  with this input',
    ...jsonLines(input)
      .split('\n')
      .map((line) => `    ${line}`),
    '',
    'Run it? [y/N] ',
  ];
  return lines.join('\n');
}
