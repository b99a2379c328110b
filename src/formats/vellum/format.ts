import { join } from 'node:path';
import type { Format, ReadPower } from '../format.js';
import { requiresApproval, runsInBackground } from '../pandora/approval.js';
import { decideActivation } from './activation.js';
import { readAnswer } from './answer.js';
import { wordFault } from './failure-text.js';
import { listPlugin } from './listing.js';
import { readOffer } from './offer.js';
import { MANIFEST_FILE, parsePackage, PLUGIN_API } from './package.js';
import { VELLUM_LIMITS } from './limits.js';
import { readVellum } from './read.js';

export const vellum: Format = {
  name: 'vellum',
  bareNames: true,
  detect,
  read: readVellum,
  decideActivation,
  readOffer,
  requiresApproval,
  runsInBackground,
  readAnswer,
  wordFault,
  list: listPlugin,
};

/**
 * A package with tools or hooks; and one without either that says that it is a plugin: it may hold
 * skills or routes alone, and has nothing that runs here.
 */
async function detect(power: ReadPower, directory: string): Promise<boolean> {
  const manifest = join(directory, MANIFEST_FILE);
  if ((await power.stat(manifest)) !== 'file') return false;
  for (const surface of ['tools', 'hooks']) {
    if ((await power.stat(join(directory, surface))) === 'directory') return true;
  }
  const text = await power
    .readFile(manifest, VELLUM_LIMITS.maxManifestBytes)
    .catch(() => undefined);
  const read = text === undefined ? undefined : parsePackage(text);
  return read !== undefined && read.ok && (read.value.saysPlugin || PLUGIN_API in read.value.peers);
}
