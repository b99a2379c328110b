/**
 * What helpers of tests leave behind is tidied away after each test or file, also where files share a
 * worker and with it the helpers' modules: a chore is given once, and done each time.
 */
const chores = { test: [] as Chore[], file: [] as Chore[] };

type Chore = () => unknown;

export function afterEachTest(chore: Chore): void {
  chores.test.push(chore);
}

export function afterEachFile(chore: Chore): void {
  chores.file.push(chore);
}

export async function tidy(after: keyof typeof chores): Promise<void> {
  for (const chore of chores[after]) await chore();
}
