import { createHash } from 'node:crypto';
import { isAbsolute, relative, sep } from 'node:path';
import { jsonLines, visible } from '../visible.js';

const HOME = 'https://www.npmjs.com/package/bulkhead';

/** What a SARIF log says about the program that wrote it. */
export interface SarifTool {
  readonly name: string;
  readonly version: string | undefined;
  /** Each with its `id`. */
  readonly rules: readonly object[];
  /** What paths are relative to, in words: `the report`. */
  readonly of: string;
}

/** A SARIF 2.1.0 log with one run. */
export function sarifLog(
  { name, version, rules, of }: SarifTool,
  results: readonly object[],
): string {
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name,
            ...(version === undefined ? {} : { version, semanticVersion: version }),
            informationUri: HOME,
            rules: rules.map((rule) => ({ ...rule, helpUri: HOME })),
          },
        },
        results,
        originalUriBaseIds: {
          SRCROOT: { description: { text: `The working directory of ${of}.` } },
          PLUGIN: { description: { text: 'The directory of the plugin.' } },
        },
        columnKind: 'utf16CodeUnits',
      },
    ],
  };
  return `${jsonLines(log)}\n`;
}

/** A place in a plugin's sources or manifest. Lines and columns count from 1. */
export interface SarifPlace {
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** The `locations` of a result. `base`: the directory that paths are relative to. */
export function locationsOf(
  { file, line, column }: SarifPlace,
  plugin: string,
  directory: string | null,
  base: string | undefined,
): readonly object[] {
  const region =
    line === undefined
      ? {}
      : { region: { startLine: line, ...(column === undefined ? {} : { startColumn: column }) } };
  return [
    {
      physicalLocation: { artifactLocation: artifactAt(directory, file, base), ...region },
      logicalLocations: [{ name: plugin, kind: 'module' }],
    },
  ];
}

/** The fingerprints of a result. Without line numbers, so that a finding stays the same when code moves. */
export function fingerprintsOf(parts: readonly unknown[]): object {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return { 'bulkhead/v1': hash };
}

/** Escapes brackets, because viewers of SARIF make links of them. */
export function plainText(text: string): string {
  return visible(text.replaceAll(/[\\[\]]/g, (character) => `\\${character}`));
}

/**
 * A relative URI: to the working directory, or to the plugin's directory if that is elsewhere. An
 * absolute path would name the machine's user, and viewers could not open the file elsewhere.
 */
function artifactAt(directory: string | null, file: string, base: string | undefined): object {
  const inside = directory === null || base === undefined ? undefined : relative(base, directory);
  const isBelow = inside !== undefined && !isAbsolute(inside) && inside.split(sep)[0] !== '..';
  const parts = [...(isBelow ? inside.split(sep) : []), ...file.split('/')];
  return {
    uri: parts.filter(Boolean).map(encodeURIComponent).join('/'),
    uriBaseId: isBelow ? 'SRCROOT' : 'PLUGIN',
  };
}
