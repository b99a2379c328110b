import type { Suggestion } from '../index.js';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.js';
import { failureOf } from './failure.js';
import { makePaint, type Paint } from './paint.js';
import type { CliPowers } from './powers.js';
import { errorBlock } from './report.js';
import { jsonLine, visible } from './visible.js';

/** Says what a plugin's code shows that it needs. None of it is run. */
export async function runSuggest(
  directory: string,
  json: boolean,
  powers: CliPowers,
): Promise<ExitCode> {
  try {
    const suggestion = await powers.suggestPermissions(directory);
    await powers.stdout.write(
      json
        ? jsonLine({ ok: true, ...suggestion })
        : describe(suggestion, makePaint(powers.stdout.colour)),
    );
    return EXIT.ok;
  } catch (error) {
    const failure = failureOf(error);
    if (json) {
      const { code, message } = failure;
      await powers.stdout.write(jsonLine({ ok: false, error: { code, message } }));
    } else await powers.stderr.write(await errorBlock(failure, directory, powers));
    return exitCodeOf(failure.code);
  }
}

function describe(suggestion: Suggestion, paint: Paint): string {
  const { plugin, format, manifest, permissions, items, open } = suggestion;
  const request = JSON.stringify(permissions, null, 2).split('\n');
  const width = Math.max(
    0,
    ...items.map(({ at }) => at.length),
    ...open.map(({ at }) => at.length),
  );
  const lines = [
    `${paint('bold', visible(plugin))} shows a need for ${items.length === 0 ? 'no permission' : 'these permissions'}`,
    '',
    ...(items.length === 0
      ? []
      : [
          `  in ${visible(manifest)}, ${WHERE[format]}`,
          ...request.map((line) => `    ${visible(line)}`),
          '',
        ]),
    ...items.map(
      ({ permission, scope, why, at }) =>
        `  ${visible(at).padEnd(width)}  ${permission}${scope === 'true' ? '' : ` ${visible(scope)}`}  ${paint('dim', visible(why))}`,
    ),
    ...(open.length === 0 ? [] : ['', paint('bold', 'What cannot be told without running it')]),
    ...open.map(({ permission, what, at }) => {
      const kind = permission === 'none' ? '' : `${permission}  `;
      return `  ${visible(at).padEnd(width)}  ${kind}${visible(what)}`;
    }),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

const WHERE: Readonly<Record<Suggestion['format'], string>> = {
  pandora: 'as "permissions" of the entry',
  vellum: 'as "bulkhead": { "permissions": … }',
  spindle: 'as "bulkhead": { "permissions": … }',
};
