// A guest that a debugger inspects. The thread starts before the guest gives up the means to start one.
// oxlint-disable-next-line import/no-unassigned-import -- it is a program
import './start-relay.js';
// oxlint-disable-next-line import/no-unassigned-import -- it is a program
import './process-entry.js';
