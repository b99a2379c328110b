/**
 * What helpers of tests leave behind is tidied away after each file, also where files share a worker
 * and with it the helpers' modules: a chore is given once, and done each time.
 */
const chores: (() => unknown)[] = [];

export function afterEachFile(chore: () => unknown): void {
  chores.push(chore);
}

export async function tidy(): Promise<void> {
  for (const chore of chores) await chore();
}
