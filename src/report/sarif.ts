import { createHash } from 'node:crypto';
import { isAbsolute, relative, sep } from 'node:path';
import { jsonLines, visible } from '../visible.js';
import type { Finding, PluginReport, RenderContext, Report } from './report.js';
import { rules } from './rules.js';

/** The report's findings as SARIF 2.1.0, each at its place in the plugin's sources or manifest. */
export function renderSarif(report: Report, { version, base }: RenderContext = {}): string {
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'bulkhead',
            ...(version === undefined ? {} : { version, semanticVersion: version }),
            informationUri: 'https://www.npmjs.com/package/bulkhead',
            rules: rules.map(({ name, about }) => ({
              id: name,
              shortDescription: { text: about },
              helpUri: 'https://www.npmjs.com/package/bulkhead',
              help: { text: `${about} See docs/report.md, ${name}.` },
            })),
          },
        },
        results: report.findings.map((finding) => resultOf(finding, report.plugins, base)),
        originalUriBaseIds: {
          SRCROOT: { description: { text: 'The working directory of the report.' } },
          PLUGIN: { description: { text: 'The directory of the plugin.' } },
        },
        columnKind: 'utf16CodeUnits',
      },
    ],
  };
  return `${jsonLines(log)}\n`;
}

function resultOf(
  finding: Finding,
  plugins: readonly PluginReport[],
  base: string | undefined,
): object {
  const { rule, level, message, fix, plugin, subject, place, exception, excepted } = finding;
  const { directory = null } = plugins.find(({ id }) => id === plugin) ?? {};
  return {
    ruleId: rule,
    ruleIndex: rules.findIndex(({ name }) => name === rule),
    level,
    // guard: sarif-text-plain
    message: { text: plainText(`${message} ${fix}`) },
    // Without line numbers, so that a finding stays the same when code moves.
    partialFingerprints: {
      'bulkhead/v1': createHash('sha256')
        .update(JSON.stringify([rule, plugin, subject]))
        .digest('hex'),
    },
    ...(place === null
      ? {}
      : {
          locations: [
            {
              physicalLocation: {
                artifactLocation: locationOf(directory, place.file, base),
                ...(place.line === undefined
                  ? {}
                  : {
                      region: {
                        startLine: place.line,
                        ...(place.column === undefined ? {} : { startColumn: place.column }),
                      },
                    }),
              },
              logicalLocations: [{ name: plugin, kind: 'module' }],
            },
          ],
        }),
    ...(exception === null || !excepted
      ? {}
      : {
          suppressions: [
            {
              kind: 'external',
              status: 'accepted',
              justification: `${exception.reason} (${exception.owner}, until ${exception.until})`,
            },
          ],
        }),
  };
}

/** Escapes brackets, because viewers of SARIF make links of them. */
export function plainText(text: string): string {
  return visible(text.replaceAll(/[\\[\]]/g, (character) => `\\${character}`));
}

/**
 * A relative URI: to the working directory, or to the plugin's directory if that is elsewhere. An
 * absolute path would name the machine's user, and viewers could not open the file elsewhere.
 */
export function locationOf(
  directory: string | null,
  file: string,
  base: string | undefined,
): object {
  const inside = directory === null || base === undefined ? undefined : relative(base, directory);
  const isBelow = inside !== undefined && !isAbsolute(inside) && inside.split(sep)[0] !== '..';
  const parts = [...(isBelow ? inside.split(sep) : []), ...file.split('/')];
  return {
    uri: parts.filter(Boolean).map(encodeURIComponent).join('/'),
    uriBaseId: isBelow ? 'SRCROOT' : 'PLUGIN',
  };
}
