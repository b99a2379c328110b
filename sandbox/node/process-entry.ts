// Establish the perimeter before anything else runs.
import { webPowers } from './perimeter.js';

import { startGuest } from '../guest.js';
import { startTenants } from '../tenants.js';
import { closeInherited } from './close-inherited.js';
import { deadPipe, openHostPipe } from './host-pipe.js';
import { makeProcessPowers } from './process-powers.js';
import { scuttle } from './scuttle.js';
import { isWriteRefused, reportOnSelf } from './self-report.js';

const realm = globalThis;
const { process } = realm;
const exit = process.exit.bind(process);
const [kind, , ...inherited] = process.argv.slice(2);
closeInherited(inherited);
// To have its code compiled it needs nobody to talk to.
const pipe = kind === 'cache' ? deadPipe : openHostPipe(() => exit(0));
const powers = makeProcessPowers(realm, webPowers, { write: pipe.write, exit: () => exit(1) });
// A listener of our own keeps the signal from opening the inspector.
process.on('SIGUSR1', () => {});
const permissionModel = isWriteRefused(process);

const guest = kind === 'shared' ? startTenants(powers) : startGuest(powers);
process.on('unhandledRejection', guest.reportFault);
process.on('uncaughtException', guest.reportFault);
pipe.listen(guest.receive);
scuttle(realm);
guest.announce(reportOnSelf(realm, permissionModel));
if (kind === 'cache') guest.rehearse();
