import type { FormatName } from '../plugin/plugin.js';
import type { Format, ReadPower } from './format.js';
import { pandora } from './pandora/format.js';
import { spindle } from './spindle/format.js';
import { vellum } from './vellum/format.js';

/** Every format that is read, in the order in which they are tried. */
export const formats: Readonly<Record<FormatName, Format>> = { pandora, spindle, vellum };

/** The format of the plugin in that directory, or `undefined` where there is none. */
export async function detectFormat(
  power: ReadPower,
  directory: string,
): Promise<Format | undefined> {
  for (const format of Object.values(formats)) {
    if (await format.detect(power, directory)) return format;
  }
  return undefined;
}
