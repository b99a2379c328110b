// For plugins that the operator lets run with the full power of a process: the wire, the deadlines
// and the kill are the same, the compartment is missing.
import './unhardened.js';

import { startGuest } from '../guest.js';
import { openHostPipe } from './host-pipe.js';
import { makeUnconfinedPowers } from './unconfined-powers.js';

const pipe = openHostPipe(() => process.exit(0));
const guest = startGuest(makeUnconfinedPowers({ write: pipe.write, exit: () => process.exit(1) }));
process.on('unhandledRejection', guest.reportFault);
process.on('uncaughtException', guest.reportFault);
pipe.listen(guest.receive);
guest.announce({ lockdown: false, scuttled: false, permissionModel: false });
