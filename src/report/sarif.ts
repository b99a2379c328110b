import { createHash } from 'node:crypto';
import { jsonLines, visible } from '../visible.js';
import type { Finding, PluginReport, Report } from './report.js';
import { rules } from './rules/table.js';

/** The report's findings as SARIF 2.1.0, each at its place in the plugin's sources or manifest. */
export function renderSarif(report: Report): string {
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'bulkhead',
            informationUri: 'https://www.npmjs.com/package/bulkhead',
            rules: rules.map(({ name, about }) => ({
              id: name,
              shortDescription: { text: about },
              helpUri: 'https://www.npmjs.com/package/bulkhead',
              help: { text: `${about} See docs/report.md, ${name}.` },
            })),
          },
        },
        results: report.findings.map((finding) => resultOf(finding, report.plugins)),
        columnKind: 'utf16CodeUnits',
      },
    ],
  };
  return `${jsonLines(log)}\n`;
}

function resultOf(finding: Finding, plugins: readonly PluginReport[]): object {
  const { rule, level, message, fix, plugin, subject, place, exception, excepted } = finding;
  const { directory = null } = plugins.find(({ id }) => id === plugin) ?? {};
  return {
    ruleId: rule,
    ruleIndex: rules.findIndex(({ name }) => name === rule),
    level,
    message: { text: plain(`${message} ${fix}`) },
    // Without lines in it: the same finding stays the same while code moves.
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
                artifactLocation: { uri: uriOf(directory, place.file) },
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

/** A text in which no name makes a link of its own, which SARIF's readers would follow. */
function plain(text: string): string {
  return visible(text.replaceAll(/[\\[\]]/g, (character) => `\\${character}`));
}

function uriOf(directory: string | null, file: string): string {
  const path = [...(directory === null ? [] : directory.split('/')), ...file.split('/')]
    .map(encodeURIComponent)
    .join('/');
  return directory === null ? path : `file://${path}`;
}
