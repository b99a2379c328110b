import { changeGuards } from './changes.js';
import { engineGuards } from './engine.js';
import { filesystemGuards } from './filesystem.js';
import type { Guard } from './guard.js';
import { guestGuards } from './guests.js';
import { hookGuards } from './hooks.js';
import { keptGuards } from './kept.js';
import { language } from './language.js';
import { loadGuards } from './loading.js';
import { networkGuards } from './network.js';
import { remoteGuards } from './remotes.js';
import { restGuards } from './rest.js';
import { secretGuards } from './secrets.js';
import { vellumGuards } from './vellum.js';
import { wire } from './wire.js';

/** Every guard that is taken out, one at a time, to see which test notices. */
export const guards: Readonly<Record<string, readonly Guard[]>> = {
  'The wire': wire,
  'The compartment': language,
  'The network broker': networkGuards,
  Secrets: secretGuards,
  'The filesystem broker, and variables': filesystemGuards,
  'Loading, and schemas': loadGuards,
  'Plugins of Vellum’s': vellumGuards,
  'The engine': engineGuards,
  Hooks: hookGuards,
  'Permissions, tools and events that change': changeGuards,
  'The guest’s process': guestGuards,
  'Between calls, and the walls': restGuards,
  'Servers, ours and others’': remoteGuards,
  'What is kept, lent, accepted and told': keptGuards,
};
