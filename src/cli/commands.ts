import type { Command } from 'commander';
import type { RunCommand } from './call.js';

/** Adds its commands to the command line. */
type AddCommands = (program: Command, run: RunCommand) => void;

/** Modules of commands, in the order of the help page. Loaded on demand, because all of them take as long as a call. */
const rows: readonly {
  readonly names: readonly string[];
  readonly load: () => Promise<AddCommands>;
}[] = [
  { names: ['init'], load: async () => (await import('./init/init.js')).addInit },
  { names: ['dev'], load: async () => (await import('./dev/dev.js')).addDev },
  { names: ['test'], load: async () => (await import('./test.js')).addTest },
  { names: ['call'], load: async () => (await import('./call.js')).addCall },
  { names: ['batch'], load: async () => (await import('./batch.js')).addBatch },
  { names: ['run-program'], load: async () => (await import('./run-program.js')).addRunProgram },
  { names: ['tools'], load: async () => (await import('./tools.js')).addTools },
  { names: ['hook'], load: async () => (await import('./hook.js')).addHook },
  { names: ['inspect'], load: async () => (await import('./inspect.js')).addInspect },
  { names: ['add'], load: async () => (await import('./lock/add.js')).addAdd },
  { names: ['update'], load: async () => (await import('./lock/update.js')).addUpdate },
  { names: ['list', 'diff'], load: async () => (await import('./lock/list.js')).addListAndDiff },
  {
    names: ['enable', 'disable', 'rollback', 'remove'],
    load: async () => (await import('./lock/manage.js')).addLockChanges,
  },
  { names: ['check'], load: async () => (await import('./lock/check.js')).addCheck },
  { names: ['pack'], load: async () => (await import('./pack.js')).addPack },
  { names: ['keys'], load: async () => (await import('./keys.js')).addKeys },
  { names: ['rules'], load: async () => (await import('./rules.js')).addRules },
  { names: ['approvals'], load: async () => (await import('./approvals.js')).addApprovals },
  { names: ['stop', 'resume'], load: async () => (await import('./stop.js')).addStops },
  { names: ['explain'], load: async () => (await import('./explain.js')).addExplain },
  { names: ['audit'], load: async () => (await import('./audit.js')).addAudit },
  { names: ['why'], load: async () => (await import('./why.js')).addWhy },
  { names: ['chat'], load: async () => (await import('./chat/chat.js')).addChat },
  { names: ['replay'], load: async () => (await import('./replay.js')).addReplay },
  { names: ['report'], load: async () => (await import('./report.js')).addPermissionReport },
  { names: ['demo'], load: async () => (await import('./demo/demo.js')).addDemo },
  { names: ['doctor'], load: async () => (await import('./doctor/doctor.js')).addDoctor },
  { names: ['walls'], load: async () => (await import('./walls.js')).addWalls },
  { names: ['selftest'], load: async () => (await import('./selftest/selftest.js')).addSelftest },
  { names: ['serve'], load: async () => (await import('./serve/serve.js')).addServe },
  { names: ['console'], load: async () => (await import('./serve/serve.js')).addConsole },
  { names: ['mcp'], load: async () => (await import('./serve/mcp.js')).addMcp },
  { names: ['run'], load: async () => (await import('./serve/run-server.js')).addRun },
  { names: ['runner'], load: async () => (await import('./runner.js')).addRunner },
  { names: ['fleet'], load: async () => (await import('./fleet/fleet.js')).addFleet },
  { names: ['store'], load: async () => (await import('./store.js')).addStore },
  { names: ['remotes'], load: async () => (await import('./serve/remotes.js')).addRemotes },
];

/**
 * Adds the command of this name, and those of its module; all commands if there is none of this name,
 * or without a name. The script of `completion` lists all of them.
 */
export async function addCommands(
  program: Command,
  run: RunCommand,
  name: string | undefined,
): Promise<void> {
  const named = rows.filter(({ names }) => name !== undefined && names.includes(name));
  const adds = await Promise.all((named.length === 0 ? rows : named).map(({ load }) => load()));
  for (const add of adds) add(program, run);
  if (named.length > 0) return;
  const { addCompletion } = await import('./completion/completion.js');
  addCompletion(program, run);
}
