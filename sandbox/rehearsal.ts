import type { HostPower } from './endowments/endowment.js';
import { load, type LoadPowers } from './loaded.js';
import { serialize } from './serialize.js';

/**
 * Loads a plugin that is nobody's and does nothing, while the guest is blank: what the first load
 * would have to compile and to make is then there.
 */
export function rehearse(powers: LoadPowers, host: HostPower): void {
  const limits = {
    maxTimers: 0,
    maxResultBytes: 1_000,
    maxResultDepth: 10,
    maxResultNodes: 100,
    maxLogText: 100,
    maxFetches: 0,
    maxBodyBytes: 0,
    maxOutputText: 0,
  };
  const { confinement } = load(
    {
      plugin: { id: 'nobody', manifest: '' },
      grant: {
        time: true,
        random: true,
        network: true,
        filesystem: true,
        environment: {},
        storage: true,
        powers: [],
      },
      limits,
      dialect: 'pandora',
      code: '',
      sourceUrl: 'nobody.js',
      assignedGlobals: [],
      config: null,
      lent: [],
      introduction: null,
    },
    powers,
    host,
    () => {},
  );
  confinement.evaluate('(function () {})');
  serialize({ text: '', list: [1, true, null] }, limits);
}
