import type { Engine } from '../engine/engine-api.js';
import type { EpochChange } from './gateways-heard.js';

/** Applies on a runner what gateways revoke and disable. */
export interface AppliedRevocations {
  apply(change: Omit<EpochChange, 'isNew'>): void;
  /** Applies everything again: a plugin that was not there has arrived. */
  applyAll(all: Omit<EpochChange, 'isNew'>): void;
}

/** `onChange`: a plugin was enabled or disabled. */
export function makeAppliedRevocations(
  engine: Pick<Engine, 'revoke' | 'setEnabled'>,
  onChange: () => void,
): AppliedRevocations {
  const off = new Set<string>();
  // A plugin that does not run here has nothing to revoke.
  const ignored = (change: Promise<unknown>): void => void change.catch(() => undefined);
  const enable = (plugin: string, enabled: boolean): void =>
    ignored(engine.setEnabled(plugin, enabled).then(onChange));
  const apply = ({ revoked, disabled }: Omit<EpochChange, 'isNew'>): void => {
    for (const { plugin, permissions } of revoked) ignored(engine.revoke(plugin, ...permissions));
    for (const plugin of disabled) {
      if (!off.has(plugin)) enable(plugin, false);
      off.add(plugin);
    }
    for (const plugin of off) {
      if (disabled.has(plugin)) continue;
      off.delete(plugin);
      enable(plugin, true);
    }
  };
  return {
    apply,
    applyAll: (all) => {
      off.clear();
      apply(all);
    },
  };
}
