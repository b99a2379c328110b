import { isRecord } from '../../sandbox/wire/json.js';

/** Tools of one entry. Every model that sees a tool pays for it. */
const MAX_TOOLS = 1_000;
/** Problems of tools past that cap. The guest names 100 of them, and counts the rest. */
const MAX_PAST = 101;

/** A guest's list of tools up to the cap, and the problems that it reports about tools past it. */
export function withinCap(
  list: readonly unknown[],
  report: (problem: string) => void,
): readonly unknown[] {
  if (list.length > MAX_TOOLS) report(`tools: those after ${MAX_TOOLS} are left out`);
  const past = list.slice(MAX_TOOLS, MAX_TOOLS + MAX_PAST).filter(hasProblem);
  // guard: tools-cap
  return [...list.slice(0, MAX_TOOLS), ...past];
}

/** Whether an item of the list says why its tool cannot be offered. */
export function hasProblem(item: unknown): item is Readonly<Record<string, unknown>> {
  return isRecord(item) && typeof item['problem'] === 'string';
}
