import type { Answer, ApprovalRequest, Approver, Verdict } from '../index.js';
import { effectLines } from './effect-text.js';
import { makePaint, type Paint } from './paint.js';
import type { CliPowers } from './powers.js';
import { visible } from './visible.js';

/**
 * Who answers where a tool asks first: `--yes` does, else the person at the terminal. Without
 * either there is no approver, and the engine refuses the call as `APPROVAL_REQUIRED`.
 */
export function chooseApprover(
  yes: boolean,
  { ask, stderr }: Pick<CliPowers, 'ask'> & { readonly stderr?: CliPowers['stderr'] },
): Approver | undefined {
  if (yes) return () => 'once';
  if (ask === undefined) return undefined;
  const paint = makePaint(stderr?.colour ?? false);
  // One question at a time: an answer must not be taken for another's.
  let last: Promise<unknown> = Promise.resolve();
  return (request) => {
    const answer = last.then(async (): Promise<Answer> => {
      if (request.signal.aborted) return { verdict: 'deny', reason: 'it was too late to ask' };
      return read(await ask(question(request, paint), request.signal), request);
    });
    last = answer.catch(() => {});
    return answer;
  };
}

/** Only a whole word of consent is one: an empty line, an end of input and a mistake are no. */
function read(line: string, { risk, offers }: ApprovalRequest): Answer {
  const said = line.trim().toLowerCase();
  const word = risk === 'high' ? (said === 'yes' ? 'once' : undefined) : WORDS.get(said);
  if (word === undefined || !offers.includes(word)) {
    return { verdict: 'deny', reason: 'answered no at the terminal', by: 'terminal' };
  }
  return { verdict: word, by: 'terminal' };
}

const WORDS: ReadonlyMap<string, Verdict> = new Map([
  ['y', 'once'],
  ['yes', 'once'],
  ['s', 'session'],
  ['session', 'session'],
  ['a', 'always'],
  ['always', 'always'],
]);

/**
 * The question, from the host's own data; the plugin's words are quoted, and named as its own. What
 * is decided on stands below the input, where a long one cannot push it out of sight.
 */
function question(request: ApprovalRequest, paint: Paint): string {
  const { plugin, version, tool, title, why, risk, shown, effect, expiresAtMs, askedAtMs } =
    request;
  const seconds = Math.round((expiresAtMs - askedAtMs) / 1000);
  const from = `${visible(plugin)}${version === undefined ? '' : ` ${visible(version)}`}`;
  const badge = risk === 'high' ? paint('red', '[HIGH RISK]') : `[${risk} risk]`;
  const input = shown.split('\n').map((line) => `    ${line}`);
  const lines = [
    '',
    '  with this input',
    ...input,
    ...(effect === undefined ? [] : effectLines(effect)),
    '',
    effect === undefined
      ? `${badge} ${from} wants to run its tool ${visible(tool)}`
      : `${badge} ${from} is running its tool ${visible(tool)}, which wants to send ${visible(effect.method)} ${visible(effect.url)}`,
    ...(title === tool ? [] : [`  the plugin calls it  "${visible(title)}"`]),
    `  asks because         ${visible(why)}`,
    `  input above          ${shown.length} characters; without an answer in ${seconds} s it is a no`,
    '',
    risk === 'high'
      ? 'To run it type yes as a whole word; anything else is a no: '
      : 'Run it? [y]es once, for this [s]ession, [a]lways, or [N]o: ',
  ];
  return lines.join('\n');
}
