// For plugins that the operator runs unconfined. The wire, the deadlines and the kill are the same.
// There is no compartment.
import './unhardened.js';

import { startGuest } from '../guest.js';
import { openHostPipe } from './host-pipe.js';
import { openSyncPipe } from './sync-pipe.js';
import { makeUnconfinedCapabilities } from './unconfined-capabilities.js';

const pipe = openHostPipe(() => process.exit(0));
const guest = startGuest(
  makeUnconfinedCapabilities({
    write: pipe.write,
    exit: () => process.exit(1),
    exchange: openSyncPipe(() => process.exit(0)),
  }),
);
process.on('unhandledRejection', guest.reportFault);
process.on('uncaughtException', guest.reportFault);
pipe.listen(guest.receive);
guest.announce({ lockdown: false, scuttled: false, permissionModel: false });
