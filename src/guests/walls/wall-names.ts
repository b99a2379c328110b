/** The walls between a guest and the machine, from the inside out. */
export const WALL_NAMES = [
  'compartment',
  'scuttled',
  'process',
  'permission-model',
  'empty-environment',
  'closed-descriptors',
  'heap-limit',
  'memory',
  'cpu',
  'own-filesystem',
  'no-file-writes',
  'no-core-dump',
  'no-new-privileges',
  'no-capabilities',
  'own-user',
  'no-network',
  'no-local-sockets',
  'no-other-processes',
  'no-child-processes',
  'no-uncounted-memory',
  'system-call-filter',
  'no-jit',
  'dies-with-host',
  'suspends-when-idle',
] as const;

export type WallName = (typeof WALL_NAMES)[number];
