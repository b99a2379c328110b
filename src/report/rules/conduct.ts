import type { RiskBand } from '../../plugin/risk.js';
import type { Rule } from './rule.js';

const BANDS: readonly (RiskBand | null)[] = ['low', 'medium', 'high'];

export const riskUnderstated: Rule = {
  name: 'BH-RISK-UNDERSTATED',
  about: 'A tool that says of itself that it is less dangerous than what it was granted proves.',
  find: ({ plugin, manifest }) =>
    plugin.tools
      .filter(
        ({ declaredRisk, risk }) =>
          declaredRisk !== null &&
          risk !== null &&
          BANDS.indexOf(declaredRisk) < BANDS.indexOf(risk),
      )
      .map(({ tool, declaredRisk, risk, why }) => ({
        level: 'note' as const,
        subject: tool,
        message: `${plugin.id}:${tool} says that its risk is ${declaredRisk ?? '?'}, and it is ${risk ?? '?'}: ${why ?? 'by its permissions'}.`,
        fix: `Have its annotations say so in ${manifest} or in its code, or grant it less.`,
        place: { file: manifest },
      })),
};

export const deniedAttempt: Rule = {
  name: 'BH-DENIED-ATTEMPT',
  about:
    'A plugin tried what it was not granted: its manifest is incomplete, or its code is not honest.',
  find: ({ plugin, manifest }) =>
    plugin.denied.map(({ kind, wanted, at, count }) => ({
      level: 'error' as const,
      subject: `${kind} ${wanted}`,
      message: `${plugin.id} tried ${kind} ${wanted} ${count === 1 ? 'once' : `${count} times`}, and was refused.`,
      fix: `If it needs that, add it to ${kind} in ${manifest} and grant it; else ask its author why it tries.`,
      place: placeOf(at) ?? { file: manifest },
    })),
};

/** `src/index.ts:14:21`. A plugin's guest said so: a path that leads elsewhere is no place. */
function placeOf(at: string | null): { file: string; line: number; column: number } | undefined {
  const { file, line, column } =
    /^(?<file>[^:]+):(?<line>\d+):(?<column>\d+)$/.exec(at ?? '')?.groups ?? {};
  if (file === undefined || file.startsWith('/') || file.split('/').includes('..'))
    return undefined;
  return { file, line: Math.max(1, Number(line)), column: Math.max(1, Number(column)) };
}

export const hostMode: Rule = {
  name: 'BH-HOST-MODE',
  about: 'A plugin without a compartment can do whatever the host’s user can.',
  find: ({ plugin, manifest }) =>
    plugin.confinement !== 'host'
      ? []
      : [
          {
            level: 'error' as const,
            subject: 'confinement',
            message: `${plugin.id} runs unconfined: its permissions bind nothing.`,
            fix: `Take "sandbox": "host" out of ${manifest}, and ${plugin.id} out of the engine's hostMode.`,
            place: { file: manifest },
          },
        ],
};

export const unpinned: Rule = {
  name: 'BH-UNPINNED',
  about: 'Code that nobody pinned may be another tomorrow.',
  find: ({ plugin, manifest, locked }) => {
    if (plugin.pin?.current === true || plugin.state === 'gone') return [];
    const known = plugin.pin !== null;
    return [
      {
        level: 'warning' as const,
        subject: 'pin',
        message: known
          ? `The code of ${plugin.id} is not what was pinned${plugin.pin?.at === null ? '' : ` on ${plugin.pin?.at ?? ''}`}.`
          : `${plugin.id} is in no lock file${locked ? '' : ', and there is none'}.`,
        fix: known
          ? `Look at what changed (bulkhead diff ${plugin.id}), and accept it: bulkhead update ${plugin.id}.`
          : `Accept it as it is: bulkhead add ${plugin.directory ?? plugin.id}.`,
        place: { file: manifest },
      },
    ];
  },
};
