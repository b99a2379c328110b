import type { TextSink } from '../powers.js';
import { visible } from '../visible.js';

/** Shows on a terminal how far a long command is; elsewhere it shows nothing. */
export interface Progress {
  show(done: number, total: number, what: string): Promise<void>;
  /** Takes the bar away again. */
  clear(): Promise<void>;
}

const BAR_WIDTH = 30;
/** As much as fits on most terminals in one line: a bar that wraps would leave its rests behind. */
const LINE_WIDTH = 78;
const CLEAR_LINE = '\r\u001b[K';

export function makeProgress(sink: TextSink): Progress {
  if (!sink.isTerminal) return { show: () => Promise.resolve(), clear: () => Promise.resolve() };
  return {
    show: (done, total, what) => {
      const filled = total === 0 ? 0 : Math.floor((done / total) * BAR_WIDTH);
      const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`;
      const line = `${bar} ${done}/${total} ${visible(what)}`;
      return sink.write(`${CLEAR_LINE}${line.slice(0, LINE_WIDTH)}`);
    },
    clear: () => sink.write(CLEAR_LINE),
  };
}
