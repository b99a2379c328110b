import type { EndowmentCapabilities } from './endowments/endowment.js';

/** The module through which replacements of Node's modules report denials. */
export const REPORT_MODULE = 'bulkhead:denied';

const REPORTED = ['builtin', 'fs', 'network'] as const;
/** Characters of a report. */
const MAX_WANTED = 200;

/** The function of that module. `inPackage`: finds the npm package that has it. */
export function makeDenialReport(
  { denied }: Pick<EndowmentCapabilities, 'denied'>,
  inPackage?: () => string | undefined,
): (permission: unknown, wanted: unknown) => void {
  return (permission, wanted) => {
    const known = REPORTED.find((name) => name === permission);
    if (known === undefined || typeof wanted !== 'string') return;
    denied(known, wanted.slice(0, MAX_WANTED), new Error(), inPackage?.());
  };
}
