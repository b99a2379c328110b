import type { PlacedUnit } from './wire/units.js';

/**
 * The texts of units that have not been evaluated. V8 keeps a copy of each text that it compiled, and each text here is
 * a part of the bundle's, which may have megabytes and stays as long as one of its parts.
 */
export class UnitTexts {
  readonly #texts: Map<string, string>;

  constructor(units: readonly Pick<PlacedUnit, 'path' | 'code'>[]) {
    this.#texts = new Map(units.map(({ path, code }) => [path, code]));
  }

  read(path: string): string {
    return this.#texts.get(path) ?? '';
  }

  /** Forgets the texts of units that were evaluated. */
  drop(units: readonly Pick<PlacedUnit, 'path'>[]): void {
    for (const { path } of units) this.#texts.delete(path);
  }

  /** Copies what is left, so that the rest of the bundle can be collected. */
  keepFew(): void {
    for (const [path, text] of this.#texts) this.#texts.set(path, copyOf(text));
  }
}

/** The same text in memory of its own: V8 makes a part of a text as a reference to the whole, here to a new one. */
function copyOf(text: string): string {
  return ` ${text}`.slice(1);
}
