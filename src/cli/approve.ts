import type {
  Answer,
  ApprovalRequest,
  Approver,
  HeldRequest,
  Verdict,
} from '../approval/approver.js';
import { BulkheadError } from '../errors.js';
import { isolated } from '../visible.js';
import type { CliCapabilities } from './capabilities.js';
import { type Paint, makePaint } from './output.js';

/**
 * The approver of a command: `--yes`, else the operator at the terminal. Without either there is no
 * approver, and the engine refuses the call with `APPROVAL_REQUIRED`.
 */
export function chooseApprover(
  yes: boolean,
  {
    ask,
    stderr,
    operator,
  }: Pick<CliCapabilities, 'ask' | 'operator'> & { readonly stderr?: CliCapabilities['stderr'] },
): Approver | undefined {
  // guard: flag-is-not-a-person
  if (yes) return () => ({ ...BY_FLAG, by: operator });
  if (ask === undefined) return undefined;
  const paint = makePaint(stderr?.colour ?? false);
  // One question at a time, so that an answer never belongs to another question.
  let last: Promise<unknown> = Promise.resolve();
  return (request) => {
    const answer = last.then(async (): Promise<Answer> => {
      if (request.signal.aborted) return { verdict: 'deny', reason: 'the question had expired' };
      return {
        ...read(await ask(formatQuestion(request, paint), request.signal), request),
        approver: 'person',
        channel: 'terminal',
        by: operator,
      };
    });
    last = answer.catch(() => {});
    return answer;
  };
}

const BY_FLAG = { verdict: 'once', approver: 'flag', channel: 'command-line' } as const;

/** Only a known word approves; an empty line, the end of the input or a typo denies. */
function read(line: string, { risk, offers }: ApprovalRequest): Answer {
  const typed = line.trim().toLowerCase();
  const word = risk === 'high' ? (typed === 'yes' ? 'once' : undefined) : WORDS.get(typed);
  if (word === undefined || !offers.includes(word)) {
    return { verdict: 'deny', reason: 'answered no at the terminal' };
  }
  return { verdict: word };
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
 * The question. Text of the plugin is quoted and labelled. The decision stands below the input, so that a
 * long input cannot push it off the screen.
 */
function formatQuestion(request: ApprovalRequest, paint: Paint): string {
  const { plugin, version, tool, title, why, risk, shown, effect, waitsUntilMs, askedAtMs } =
    request;
  const seconds = Math.round((waitsUntilMs - askedAtMs) / 1000);
  const from = `${isolated(plugin)}${version === undefined ? '' : ` ${isolated(version)}`}`;
  const badge = risk === 'high' ? paint('red', '[HIGH RISK]') : `[${risk} risk]`;
  const input = shown.split('\n').map((line) => `    ${line}`);
  const lines = [
    '',
    '  with this input',
    ...input,
    ...(effect === undefined ? [] : effectLines(effect)),
    '',
    effect === undefined
      ? `${badge} ${from} wants to run its tool ${isolated(tool)}`
      : `${badge} ${from} is running its tool ${isolated(tool)}, which wants to send ${isolated(effect.method)} ${isolated(effect.url)}`,
    ...(title === tool ? [] : [`  the plugin calls it  "${isolated(title)}"`]),
    `  reason               ${isolated(why)}`,
    `  input above          ${shown.length} characters; denied without an answer in ${seconds} s`,
    '',
    risk === 'high'
      ? 'Type yes to run it; anything else denies it: '
      : 'Run it? [y]es once, for this [s]ession, [a]lways, or [N]o: ',
  ];
  return lines.join('\n');
}

/** The exact request that a running tool wants to send. */
export function effectLines(effect: HeldRequest): string[] {
  const { method, url, headers, body, bodyBytes } = effect;
  return [
    '  the tool wants to send',
    `    ${isolated(method)} ${isolated(url)}`,
    ...headers.map(([name, value]) => `    ${isolated(name)}: ${isolated(value)}`),
    ...(body === undefined ? [] : ['', ...body.split('\n').map((line) => `    ${isolated(line)}`)]),
    ...(bodyBytes === undefined ? [] : [`    (${bodyBytes} bytes)`]),
  ];
}

/** Parses such a request from a server; unknown fields are dropped. */
export function readEffect({
  method,
  url,
  headers,
  body,
  bodyBytes,
}: Readonly<Record<string, unknown>>): HeldRequest {
  const pairs: readonly unknown[] = Array.isArray(headers) ? headers : [];
  return {
    method: String(method),
    url: String(url),
    headers: pairs.flatMap((pair) =>
      Array.isArray(pair) ? [[String(pair[0]), String(pair[1])] as const] : [],
    ),
    ...(typeof body === 'string' ? { body } : {}),
    ...(typeof bodyBytes === 'number' ? { bodyBytes } : {}),
  };
}

/**
 * Requires consent to what was just shown: by a flag, or by typing yes at the terminal. Throws
 * `APPROVAL_REQUIRED` without both, and `APPROVAL_DENIED` for any other answer.
 */
export async function requireYes(
  question: string,
  flag: { readonly given: boolean; readonly name: string; readonly subject: string },
  { ask, interrupted }: Pick<CliCapabilities, 'ask' | 'interrupted'>,
): Promise<void> {
  const { given, name, subject } = flag;
  if (given) return;
  if (ask === undefined) {
    throw new BulkheadError(
      'APPROVAL_REQUIRED',
      `There is no terminal to ask at. Review the plugin as shown above, then accept it with ${name}.`,
      { tool: subject },
    );
  }
  const line = await ask(`${question} Type yes to accept; anything else declines: `, interrupted);
  if (line.trim().toLowerCase() === 'yes') return;
  throw new BulkheadError('APPROVAL_DENIED', `${subject} was not accepted, so nothing changed.`, {
    tool: subject,
  });
}
