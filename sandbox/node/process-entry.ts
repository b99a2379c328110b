// Establish the perimeter before anything else runs.
import { webPowers } from './perimeter.js';

import { startGuest } from '../guest.js';
import { startCoResidents } from '../co-residents.js';
import { closeInherited } from './close-inherited.js';
import { deadPipe, openHostPipe } from './host-pipe.js';
import { makeProcessCapabilities } from './process-capabilities.js';
import { openSyncPipe } from './sync-pipe.js';
import { dropNetwork, isConfinedByNode, reportOnSelf, scuttle } from './scuttle.js';

const realm = globalThis;
const { process } = realm;
const exit = process.exit.bind(process);
const [kind, , ...inherited] = process.argv.slice(2);
// guard: inherited-descriptors-closed
closeInherited(inherited);
// To compile its code it needs no host.
const pipe = kind === 'cache' ? deadPipe : openHostPipe(() => exit(0));
const capabilities = makeProcessCapabilities(realm, webPowers, {
  write: pipe.write,
  exit: () => exit(1),
  exchange: openSyncPipe(() => exit(0)),
});
// A listener of our own stops the signal from opening the inspector.
process.on('SIGUSR1', () => {});
// The pipes are open.
dropNetwork(process);
const permissionModel = isConfinedByNode(process);

const guest = kind === 'shared' ? startCoResidents(capabilities) : startGuest(capabilities);
process.on('unhandledRejection', guest.reportFault);
process.on('uncaughtException', guest.reportFault);
pipe.listen(guest.receive);
// guard: globals-scuttled
scuttle(realm);
guest.announce(reportOnSelf(realm, permissionModel));
if (kind === 'cache') guest.warmUp();
