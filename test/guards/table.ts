import { changeGuards } from './changes.js';
import { compartmentGuards } from './compartment.js';
import { consoleGuards } from './console.js';
import { engineGuards } from './engine.js';
import { fleetGuards } from './fleet.js';
import type { Guard } from './guard.js';
import { guestGuards } from './guests.js';
import { mcpAskingGuards } from './mcp-asking.js';
import { networkGuards } from './network.js';
import { noticeGuards } from './notices.js';
import { packageGuards } from './packages.js';
import { pluginGuards } from './plugins.js';
import { programGuards } from './programs.js';
import { readGuards } from './reads.js';
import { recordGuards } from './records.js';
import { serverGuards } from './servers.js';
import { stopGuards } from './stops.js';
import { wireGuards } from './wire.js';

/** Every guard. */
export const guards: readonly Guard[] = [
  ...wireGuards,
  ...compartmentGuards,
  ...networkGuards,
  ...pluginGuards,
  ...engineGuards,
  ...changeGuards,
  ...guestGuards,
  ...serverGuards,
  ...recordGuards,
  ...programGuards,
  ...consoleGuards,
  ...packageGuards,
  ...fleetGuards,
  ...stopGuards,
  ...readGuards,
  ...noticeGuards,
  ...mcpAskingGuards,
];
