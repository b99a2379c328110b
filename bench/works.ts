import { measureCallers } from './callers.js';
import { measureCalls } from './calls.js';
import { measureCatalog } from './catalog.js';
import { measureCommands } from './command.js';
import { measureCompute } from './compute.js';
import { measureDoor } from './door.js';
import { measureFleet } from './fleet.js';
import { measureHooks } from './hooks.js';
import { measureInstalled } from './installed.js';
import { measureKill } from './kill.js';
import type { Effort, Measure } from './measure.js';
import { measureMemory } from './occupied.js';
import { measurePackages } from './packages.js';
import { measurePrograms } from './programs.js';
import { measureReplicas } from './replicas.js';
import { measureStarts } from './starts.js';
import { measureStreams } from './streams.js';
import { measureWalls } from './walls.js';

/** One kind of work, and what is measured of it. */
export type Work = (effort: Effort) => Promise<readonly Measure[]>;

/** All of the table, in its order. */
export const works = {
  calls: measureCalls,
  callers: measureCallers,
  starts: measureStarts,
  commands: measureCommands,
  walls: measureWalls,
  memory: measureMemory,
  compute: measureCompute,
  replicas: measureReplicas,
  kill: measureKill,
  streams: measureStreams,
  hooks: measureHooks,
  installed: measureInstalled,
  catalog: measureCatalog,
  programs: measurePrograms,
  packages: measurePackages,
  door: measureDoor,
  fleet: measureFleet,
} satisfies Record<string, Work>;

/** Those that have a floor to be held against, and need no quiet machine for it. */
export const compared = ['calls', 'starts', 'compute', 'streams', 'hooks', 'installed'] as const;
