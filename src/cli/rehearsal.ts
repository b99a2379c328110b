import type { StoppedEffect } from '../index.js';
import type { Outcome } from './invoke.js';
import type { CliPowers } from './powers.js';
import { visible } from './visible.js';

/** Tells a person what a rehearsed call would have changed. */
export async function tellRehearsal(
  { rehearsal }: Outcome,
  { json = false }: { readonly json?: boolean },
  { stderr }: Pick<CliPowers, 'stderr'>,
): Promise<void> {
  if (rehearsal === undefined || json) return;
  const lines =
    rehearsal.length === 0
      ? ['rehearsed: it tried to change nothing']
      : ['rehearsed: it would have', ...rehearsal.flatMap(linesOf)];
  await stderr.write(`${lines.join('\n')}\n`);
}

function linesOf(effect: StoppedEffect): string[] {
  switch (effect.permission) {
    case 'network': {
      const { method, url, body } = effect;
      return [
        `  sent ${visible(method)} ${visible(url)}`,
        ...(body === undefined ? [] : body.split('\n').map((line) => `      ${line}`)),
      ];
    }
    case 'storage':
      return [`  changed its storage: ${visible(effect.operation)} ${visible(effect.path)}`];
    case 'powers':
      return [`  used the host's power ${visible(effect.power)}`];
  }
}
