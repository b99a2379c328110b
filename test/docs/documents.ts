import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readText, ROOT } from '../architecture/sources.js';

/** Everything that is written for readers. */
export const documents: readonly string[] = [
  'README.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** Those whose commands follow one another, each on what those before it have left. */
export const stories: readonly string[] = ['docs/audit.md', 'docs/report.md'];

export interface Fence {
  readonly document: string;
  readonly language: string;
  readonly text: string;
}

/** Every block of code of a document, or of all of them. */
export function fencesOf(document: string): Fence[] {
  return [...readText(document).matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(
    ([, language = '', text = '']) => ({ document, language, text }),
  );
}
