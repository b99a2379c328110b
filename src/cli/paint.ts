import { styleText } from 'node:util';

export type Paint = (format: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string) => string;

export function makePaint(colour: boolean): Paint {
  // The sink has decided; styleText must not look at another stream and decide again.
  return colour
    ? (format, text) => styleText(format, text, { validateStream: false })
    : (_format, text) => text;
}
