import { createHash } from 'node:crypto';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { Json } from '../../../sandbox/wire/messages.js';
import { canonicalJson } from '../../canonical.js';
import { BulkheadError } from '../../errors.js';
import { subjectHashOf, type Bundle } from '../../plugin/plugin.js';
import { violationOf } from '../../remotes/check-input.js';
import type { RemoteTool } from '../../remotes/remote.js';
import type { Instance } from '../instance/instance.js';
import type { Grants } from '../plugins/grants.js';
import type { InstalledPlugin } from '../plugins/installed.js';
import type { ProgramPlacer } from '../plugins/placement.js';
import { sourceIn } from './build-program.js';
import { runOrWait } from './program-tools.js';
import type { ProgramRunner, SavedProgram } from './programs.js';

/** The permission of a saved program. Without it, the program does not run. */
const CALL_TOOLS = 'call_tools';

/**
 * Where tools of saved programs run: each call is a program of the engine, in a guest of its own, with the
 * calls, caps, approvals and audit records of any program.
 *
 * @param runner called when a tool runs: by then the engine is open
 */
export function makeProgramPlacer(
  grants: Pick<Grants, 'onRevoked'>,
  runner: () => ProgramRunner,
): ProgramPlacer {
  const loads = new Map<string, { underWay: number }>();
  return ({ listed, instance }, { id, version }) => {
    const { bundle, entry } = instance;
    const load = loads.get(id) ?? { underWay: 0 };
    loads.set(id, load);
    const hash = definitionHash(instance);
    const saved: SavedProgram = {
      plugin: id,
      bundle,
      hash,
      source: sourceOf(bundle, entry.file),
      tools: toolsOf(entry.pluginInfo),
    };
    const run: RemoteTool['run'] = async (call) => {
      const { input, callId } = call;
      // guard: saved-program-input-checked
      const violation = violationOf(listed.inputSchema, input);
      if (violation !== undefined) {
        throw new BulkheadError(
          'INVALID_INPUT',
          `The input of ${id} does not fit: ${violation}. Correct the input.`,
          { tool: id },
        );
      }
      // guard: saved-program-permitted
      if (!isPermitted(instance)) throw notPermitted(id);
      const { content, isError } = await runOrWait(call, (options) => {
        const running = runner().start(saved, { ...options, input }, callId);
        // It has no other permission.
        // guard: saved-program-ends-with-its-permission
        const forget = grants.onRevoked(id, () => running.cancel());
        running.done.then(forget, forget);
        return running;
      });
      return { isError, content: [{ type: 'text', text: content }] };
    };
    return {
      remote: { ...listed, hash, run },
      hash,
      // It passes its caller's tenant and policy on to its calls.
      isHosts: true,
      version,
      format: undefined,
      load,
    };
  };
}

/** The build of a saved program, if its definition has that hash and it may call tools now. */
export function findBundle(
  installed: readonly InstalledPlugin[],
  hash: string,
): Bundle | undefined {
  return installed
    .flatMap(({ entries }) => entries.flatMap(({ instances }) => instances))
    .find((instance) => isPermitted(instance) && definitionHash(instance) === hash)?.bundle;
}

function isPermitted({ grant }: Instance): boolean {
  return grant.permissions.powers.includes(CALL_TOOLS);
}

/** Covers the code, the schema, and the tools that the program may call. Approvals are for this hash. */
function definitionHash({ bundle, entry }: Instance): string {
  const definition: Json = [subjectHashOf(bundle), entry.pluginInfo ?? null];
  return createHash('sha256').update(canonicalJson(definition)).digest('hex');
}

/** The ids of tools that its manifest names. The manifest of a pack was not read again, so `*` is refused here too. */
function toolsOf(info: unknown): readonly string[] {
  const tools: unknown = isRecord(info) ? info['tools'] : undefined;
  const texts = Array.isArray(tools) ? tools.filter((tool) => typeof tool === 'string') : [];
  // guard: saved-program-names-each-tool
  return texts.filter((tool) => !tool.includes('*'));
}

/** The text that an approver sees. */
function sourceOf({ sourceMap, code }: Bundle, file: string): string {
  const map: unknown = JSON.parse(sourceMap);
  const { sources, sourcesContent } = isRecord(map) ? map : {};
  if (!Array.isArray(sources) || !Array.isArray(sourcesContent)) return code;
  const at = sources.findIndex((source) => typeof source === 'string' && source.endsWith(file));
  const text: unknown = sourcesContent[at];
  return typeof text === 'string' ? sourceIn(text) : code;
}

function notPermitted(id: string): BulkheadError<'PERMISSION_REVOKED'> {
  return new BulkheadError(
    'PERMISSION_REVOKED',
    `${id} may not call tools: it was not granted the permission powers:${CALL_TOOLS}. Grant it to the plugin.`,
    { permission: `powers:${CALL_TOOLS}` },
  );
}
