import { createHash } from 'node:crypto';
import { locationOf, plainText } from '../report/sarif.js';
import { jsonLines } from '../visible.js';
import type { PluginCheck } from './check-plugin.js';
import { type CheckFinding, checkRules } from './finding.js';

const names = Object.keys(checkRules);

/** The findings as SARIF 2.1.0. `base`: the directory that paths are relative to. */
export function renderCheckSarif(
  checks: readonly PluginCheck[],
  { version, base }: { readonly version: string; readonly base: string },
): string {
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'bulkhead check',
            version,
            semanticVersion: version,
            informationUri: 'https://www.npmjs.com/package/bulkhead',
            rules: Object.entries(checkRules).map(([id, text]) => ({
              id,
              shortDescription: { text },
              helpUri: 'https://www.npmjs.com/package/bulkhead',
            })),
          },
        },
        results: checks.flatMap((check) =>
          check.findings.map((finding) => resultOf(finding, check, base)),
        ),
        originalUriBaseIds: {
          SRCROOT: { description: { text: 'The working directory of the check.' } },
          PLUGIN: { description: { text: 'The directory of the plugin.' } },
        },
        columnKind: 'utf16CodeUnits',
      },
    ],
  };
  return `${jsonLines(log)}\n`;
}

function resultOf(
  { rule, level, message, fix, file, line, column }: CheckFinding,
  { plugin, directory }: PluginCheck,
  base: string,
): object {
  const name = plugin ?? directory;
  return {
    ruleId: rule,
    ruleIndex: names.indexOf(rule),
    level,
    message: { text: plainText(fix === undefined ? message : `${message} ${fix}`) },
    // Without line numbers, so that a finding stays the same when code moves.
    partialFingerprints: {
      'bulkhead/v1': createHash('sha256')
        .update(JSON.stringify([rule, name, message]))
        .digest('hex'),
    },
    ...(file === undefined
      ? {}
      : {
          locations: [
            {
              physicalLocation: {
                artifactLocation: locationOf(directory, file, base),
                ...(line === undefined
                  ? {}
                  : {
                      region: {
                        startLine: line,
                        ...(column === undefined ? {} : { startColumn: column }),
                      },
                    }),
              },
              logicalLocations: [{ name, kind: 'module' }],
            },
          ],
        }),
  };
}
