import type { TurnEvent, TurnResult } from '../../index.js';
import { makePaint } from '../paint.js';
import type { CliPowers } from '../powers.js';
import { visible } from '../visible.js';

/** Shows a turn while it runs: the model's words on standard output, what its tools do beside it. */
export interface Teller {
  tell(event: TurnEvent): void;
  /** Once all of it is shown. */
  end(result: TurnResult): Promise<void>;
}

const MAX_SHOWN = 300;

export function makeTeller({ stdout, stderr }: CliPowers, quiet: boolean): Teller {
  const paint = makePaint(stderr.colour);
  let last: Promise<void> = Promise.resolve();
  let midLine = false;
  const say = (sink: CliPowers['stdout'], text: string): void => {
    last = last.then(() => sink.write(text));
  };
  const aside = (text: string): void => {
    say(stderr, `${midLine ? '\n' : ''}${text}\n`);
    midLine = false;
  };

  return {
    tell: (event) => {
      if (quiet) return;
      if (event.type === 'text') {
        say(stdout, visibleLines(event.text));
        midLine = !event.text.endsWith('\n');
      } else if (event.type === 'tool-call') {
        aside(paint('dim', `  → ${visible(event.tool)} ${shorten(JSON.stringify(event.input))}`));
      } else if (event.type === 'tool-output') {
        aside(paint('dim', `    ${shorten(event.chunk)}`));
      } else if (event.type === 'tool-result') {
        const text = `  ${event.isError ? '✗' : '←'} ${shorten(event.text)}`;
        aside(event.isError ? paint('red', text) : paint('dim', text));
      } else if (event.type === 'compacted') {
        aside(paint('dim', `  (summed up: ${event.before} tokens became ${event.after})`));
      }
    },
    end: async ({ exitReason, error }) => {
      if (!quiet) {
        if (midLine) say(stdout, '\n');
        if (error !== undefined) aside(paint('red', `  ${visible(error.message)}`));
        else if (exitReason !== 'no_tool_calls' && exitReason !== 'yield_to_user') {
          aside(paint('dim', `  (the turn ended: ${exitReason})`));
        }
      }
      await last;
    },
  };
}

function shorten(text: string): string {
  const shown = visible(text);
  return shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN - 1)}…` : shown;
}

/** Lines stay lines; nothing in them steers the terminal. */
function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}
