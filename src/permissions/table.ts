import { environment } from './environment.js';
import { filesystem } from './filesystem.js';
import type { Held } from './held.js';
import type { PermissionKind, PermissionName } from './kind.js';
import type { NetworkScope } from './network-scope.js';
import { network } from './network.js';
import { powers } from './powers.js';
import { random } from './random.js';
import { makeScopeTexts, type ScopeTexts } from './scope-texts.js';
import { storage } from './storage.js';
import { time } from './time.js';

interface Scopes {
  time: Held;
  random: Held;
  storage: Held;
  network: NetworkScope;
  environment: string;
  filesystem: string;
  powers: string;
}

/** Every kind of permission there is. A new one is a file beside these and a line here. */
export const permissionKinds: {
  readonly [Name in PermissionName]: PermissionKind<Scopes[Name]>;
} = { time, random, storage, network, environment, filesystem, powers };

/** In the order in which a person reads them: least power first. */
export const permissionNames: readonly PermissionName[] = [
  'time',
  'random',
  'storage',
  'environment',
  'filesystem',
  'network',
  'powers',
];

/** The same kinds over lists of texts, so that code can treat all of them alike. */
export const scopeTexts: Readonly<Record<PermissionName, ScopeTexts>> = {
  time: makeScopeTexts(time),
  random: makeScopeTexts(random),
  storage: makeScopeTexts(storage),
  network: makeScopeTexts(network),
  environment: makeScopeTexts(environment),
  filesystem: makeScopeTexts(filesystem),
  powers: makeScopeTexts(powers),
};
