import { join } from 'node:path';
import type { Format } from '../format.js';
import { decideActivation } from './activation.js';
import { requiresApproval, runsInBackground } from './approval.js';
import { listPlugin } from './listing.js';
import { readOffer } from './offer.js';
import { MANIFEST_FILE, readPandora } from './read.js';

export const pandora: Format = {
  name: 'pandora',
  detect: async (power, directory) => (await power.stat(join(directory, MANIFEST_FILE))) === 'file',
  read: readPandora,
  decideActivation,
  readOffer,
  requiresApproval,
  asksByFlagAlone: true,
  runsInBackground,
  list: (source) => ({ ...listPlugin(source) }),
};
