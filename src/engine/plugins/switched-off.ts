/** Why a plugin that its host switched off does not run. `setEnabled` sets it and removes it. */
export function switchedOffWhy(id: string): string {
  return `it was switched off by its host; engine.setEnabled(${JSON.stringify(id)}, true) switches it on`;
}
