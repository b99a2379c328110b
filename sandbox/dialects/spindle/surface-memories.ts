import type { SurfaceGroup } from './surface-group.js';

const permission = 'memories';

/** What Lumiverse remembers of chats, beyond their messages. */
export const memorySurface: readonly SurfaceGroup[] = [
  {
    path: 'memories.cortex',
    permission,
    reads: {
      getConfig: 'none',
      query: 'none',
      getCached: 'null',
      queryLinked: 'none',
      getCachedLinked: 'null',
    },
    writes: 'putConfig invalidateCache invalidateLinkedCache',
  },
  {
    path: 'memories.entities',
    permission,
    reads: { list: 'list', get: 'null', findByName: 'null', getFacts: 'list' },
    writes: 'upsert updateStatus addFacts updateEmotionalValence',
  },
  {
    path: 'memories.relations',
    permission,
    reads: { list: 'list', listAll: 'list', forEntity: 'list', forEntities: 'list' },
    writes: 'upsert',
  },
  {
    path: 'memories.consolidations',
    permission,
    reads: { list: 'list', latestArc: 'null' },
    writes: 'run',
  },
  { path: 'memories.salience', permission, reads: { list: 'list' } },
  {
    path: 'memories.vaults',
    permission,
    reads: { list: 'list', get: 'null', getChunks: 'list' },
    writes: 'create rename delete reindex',
  },
  {
    path: 'memories.links',
    permission,
    reads: { list: 'list' },
    writes: 'attach remove toggle',
  },
  {
    path: 'memories.chatMemory',
    permission,
    reads: { listChunks: 'list', get: 'none' },
    writes: 'warm invalidate',
  },
  {
    path: 'memories.stats',
    permission,
    reads: { usage: 'none', ingestionStatus: 'null', ingestionTelemetry: 'none' },
  },
];
