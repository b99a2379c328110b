import type { StoredQuestion } from '../approval/approver.js';
import type { Programs, ProgramStatus } from '../engine/programs/program.js';

/** The start of `asker` in the questions of programs. For other questions, no stored program is read. */
const ASKER = 'program ';

/** The program one of whose calls waits for this question. */
export function programThatAsks(
  programs: Pick<Programs, 'list'>,
  { approvalId, asker, tenant }: StoredQuestion,
): ProgramStatus | undefined {
  if (asker?.startsWith(ASKER) !== true) return undefined;
  return programs
    .list(tenant === undefined ? {} : { tenant })
    .find(({ calls }) => calls.some(({ approval }) => approval === approvalId));
}
