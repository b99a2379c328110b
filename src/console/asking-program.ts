import type { StoredQuestion } from '../approval/approver.js';
import type { Programs, ProgramStatus } from '../engine/programs/program.js';

/** Of the questions of a program. Saves reading the stored programs for each other question. */
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
