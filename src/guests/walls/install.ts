import type { Machine } from './machine.js';
import type { WallPlan } from './plan.js';

/** The package managers that this knows, with their command and their name for each package. */
const MANAGERS = [
  { program: 'apt-get', command: 'apt-get install', perl: 'perl-base', bwrap: 'bubblewrap' },
  { program: 'dnf', command: 'dnf install', perl: 'perl-interpreter', bwrap: 'bubblewrap' },
  { program: 'zypper', command: 'zypper install', perl: 'perl-base', bwrap: 'bubblewrap' },
  { program: 'pacman', command: 'pacman -S', perl: 'perl', bwrap: 'bubblewrap' },
  { program: 'apk', command: 'apk add', perl: 'perl', bwrap: 'bubblewrap' },
] as const;

/**
 * The command that installs the program which would build the missing walls. `undefined` if the plan is
 * whole, if both programs are there, or if this package manager is not known. `has`: whether a program
 * of that name is installed.
 */
export function installCommand(
  { plan, tools, architecture, superuser }: Machine,
  has: (program: string) => boolean,
): string | undefined {
  // Neither program has a filter for another system or architecture.
  if (architecture === undefined || isWhole(plan, superuser)) return undefined;
  const manager = MANAGERS.find(({ program }) => has(program));
  if (manager === undefined) return undefined;
  const { command, perl, bwrap } = manager;
  if (tools.perl === undefined) return `${command} ${perl}`;
  // Some systems let bubblewrap make namespaces, and no other program of an ordinary user.
  return tools.bwrap === undefined ? `${command} ${bwrap}` : undefined;
}

function isWhole({ ownRoot, systemCallFilter, namespaces, ownUser }: WallPlan, superuser: boolean) {
  const apart = (['net', 'pid', 'ipc'] as const).every((name) => namespaces.includes(name));
  return ownRoot && systemCallFilter && apart && (!superuser || ownUser !== undefined);
}
