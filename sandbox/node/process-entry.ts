// Establish the perimeter before anything else runs.
import { webPowers } from './perimeter.js';

import { startGuest } from '../guest.js';
import { closeInherited } from './close-inherited.js';
import { openHostPipe } from './host-pipe.js';
import { makeProcessPowers } from './process-powers.js';
import { scuttle } from './scuttle.js';
import { isWriteRefused, reportOnSelf } from './self-report.js';

const realm = globalThis;
const { process } = realm;
const exit = process.exit.bind(process);
closeInherited(process.argv.slice(2));
const pipe = openHostPipe(() => exit(0));

const guest = startGuest(
  makeProcessPowers(realm, webPowers, { write: pipe.write, exit: () => exit(1) }),
);
process.on('unhandledRejection', guest.reportFault);
process.on('uncaughtException', guest.reportFault);
// A listener of our own keeps the signal from opening the inspector.
process.on('SIGUSR1', () => {});
pipe.listen(guest.receive);
const permissionModel = isWriteRefused(process);
scuttle(realm);
guest.announce(reportOnSelf(realm, permissionModel));
