import { styleText } from 'node:util';
import { jsonLine, visible } from '../visible.js';
import type { CliCapabilities } from './capabilities.js';

export type Paint = (format: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string) => string;

export function makePaint(colour: boolean): Paint {
  // The caller decided on colour, so styleText must not check a stream.
  return colour
    ? (format, text) => styleText(format, text, { validateStream: false })
    : (_format, text) => text;
}

/** Rows as aligned columns; the last column is not padded. The first row is the heading. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** Writes the value as one line of JSON if `--json` is set, else the text. */
export function print(
  { json }: { readonly json?: boolean | undefined },
  { stdout }: Pick<CliCapabilities, 'stdout'>,
  value: unknown,
  text: string,
): Promise<void> {
  return stdout.write(json === true ? jsonLine(value) : text);
}

/** The visible text, cut to `max` characters with an ellipsis. */
export function shorten(text: string, max: number): string {
  const shown = visible(text);
  return shown.length > max ? `${shown.slice(0, max - 1)}…` : shown;
}
