import { join } from 'node:path';
import type { Format } from '../format.js';
import { decideActivation } from './activation.js';
import { requiresApproval, runsInBackground } from '../approval.js';
import { listPlugin } from './listing.js';
import { manifestShape } from './manifest.js';
import { readContributions } from './contributions.js';
import { MANIFEST_FILE, readPandora } from './read.js';

export const pandora: Format = {
  name: 'pandora',
  manifestFile: MANIFEST_FILE,
  manifestShape,
  slowStart: 'resolveTools has to answer faster.',
  permissionsPlace: 'as "permissions" of the entry',
  permissionsPath: ['provides', 'tools', 'permissions'],
  declaresPermissions: true,
  hasCryptoRandom: false,
  detect: async (reader, directory) =>
    (await reader.stat(join(directory, MANIFEST_FILE))) === 'file',
  read: readPandora,
  decideActivation,
  readContributions,
  requiresApproval,
  approvalByFlagOnly: true,
  runsInBackground,
  list: (source) => ({ ...listPlugin(source) }),
};
