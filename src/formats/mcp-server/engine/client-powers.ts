import type { Json, JsonObject } from '../../../../sandbox/wire/messages.js';
import { isRecord } from '../../../../sandbox/wire/json.js';
import type { Approval } from '../../../approval/approval-api.js';
import type { Question } from '../../../approval/question.js';
import type { PowerContext, PowerDefinition } from '../../../brokers/powers/host-powers.js';
import type { FoundCall, OpenCalls } from '../../../engine/call/open-calls.js';
import type { OpenCall } from '../../../engine/instance/in-flight.js';
import type { InstalledPlugin, PluginTable } from '../../../engine/plugins/installed.js';
import type { Settings } from '../../../engine/types/settings.js';
import { messageOf } from '../../../errors.js';
import { parseScope } from '../../../permissions/filesystem.js';
import type { CallClient } from '../../../plugin/call-client.js';
import { readElicitation, readSampling, rootsOf } from '../../../remotes/mcp/server-requests.js';
import { visibleText } from '../../../visible.js';
import { readSamplingCaps } from '../sampling-caps.js';

/** What the powers need of the engine. They are made before it is complete. */
export interface ClientPowersEngine {
  readonly openCalls: Pick<OpenCalls, 'find'>;
  readonly approval: Pick<Approval, 'ask'>;
  readonly settings: Pick<Settings, 'tolerance'>;
}

/** Milliseconds for a person at the client. The client's own limit may be shorter. */
const PERSON_MS = 600_000;
/** Questions of one call to the client's user. Stops a server that asks in a loop. */
const MAX_QUESTIONS = 10;

/**
 * The powers by which a server in a guest asks the client of the call that runs. They are granted like all
 * powers: by default a server has none.
 */
export function clientPowers(
  plugins: PluginTable,
  engine: () => ClientPowersEngine,
): readonly PowerDefinition[] {
  const asked = new WeakMap<OpenCall, Asked>();
  const installed = (id: string): InstalledPlugin => {
    const found = plugins.list().find(({ plugin }) => plugin.id === id);
    if (found === undefined) throw new Error('the plugin was removed');
    return found;
  };
  /** Asks the client, while the deadline of the call is paused. */
  const ask = async (
    { call: callId, signal, permission }: PowerContext,
    send: (asking: Asking) => Promise<JsonObject>,
  ): Promise<JsonObject> => {
    try {
      const found = callId === undefined ? undefined : engine().openCalls.find(callId);
      // The session has one stream: with two calls under way, the request could be for either.
      // guard: client-request-attributed
      if (found === undefined) throw new Error(`${permission} is only possible during one call`);
      const { call, ended } = found;
      const counts = asked.get(call) ?? { forms: 0, samples: 0, isRefused: false };
      asked.set(call, counts);
      if (counts.isRefused) throw new Error('an earlier request of this call was refused');
      call.deadline.pause();
      try {
        return await send({ ...found, counts, signal: AbortSignal.any([signal, ended]) });
      } finally {
        call.deadline.resume();
      }
    } catch (error) {
      throw exposed(error);
    }
  };
  const elicit: PowerDefinition = {
    name: 'elicitation',
    description:
      'Shows forms to the user of the MCP client that calls, and asks them to open pages of hosts that the plugin may reach.',
    risk: 'low',
    timeoutMs: PERSON_MS,
    handler: (args, context) =>
      ask(context, ({ call, counts, signal }) => {
        const one = clientOf(call)?.elicit;
        if (one === undefined) throw new Error('the client cannot ask its user');
        counts.forms += 1;
        // guard: client-questions-counted
        if (counts.forms > MAX_QUESTIONS) {
          throw new Error(`a call may ask the user ${MAX_QUESTIONS} times`);
        }
        const { entries } = installed(context.plugin);
        const isGranted = (url: URL): boolean =>
          entries.some(({ instances }) => instances[0]?.grant.allowsUrl(url, 'GET') === true);
        return answered(counts, one(readElicitation(context.plugin, args, isGranted), signal));
      }),
  };
  const sample: PowerDefinition = {
    name: 'sampling',
    description:
      'Sends a text to the model of the MCP client that calls, at its cost, after an approval. The model gets no conversation and no tools.',
    risk: 'medium',
    timeoutMs: PERSON_MS,
    handler: (args, context) =>
      ask(context, async (asking) => {
        const { call, counts, signal } = asking;
        const one = clientOf(call)?.sample;
        if (one === undefined) throw new Error('the client has no model to share');
        const of = installed(context.plugin);
        const { maxTokens, maxRequests } = readSamplingCaps(of.config);
        counts.samples += 1;
        // guard: client-samples-counted
        if (counts.samples > maxRequests) {
          throw new Error(`a call may ask the model ${maxRequests} times`);
        }
        const params = readSampling(args, maxTokens);
        const { approval, settings } = engine();
        // guard: sampling-approved
        if (settings.tolerance !== 'full') {
          await answered(counts, approval.ask(samplingQuestion(asking, params, termsOf(of))));
        }
        return answered(counts, one(params, signal));
      }),
  };
  const list: PowerDefinition = {
    name: 'roots',
    description: 'Lists the directories that the plugin was granted, as it sees them.',
    risk: 'low',
    handler: (_, { plugin }) => {
      const granted = installed(plugin).entries.flatMap(({ effective }) => effective.fs);
      // guard: roots-of-granted-mounts
      const mounts = granted.map(parseScope).filter(({ path }) => path.startsWith('/'));
      return rootsOf([...new Set(mounts.map(({ path, at = path }) => at))]);
    },
  };
  return [elicit, sample, list];
}

/** What one call has asked so far. */
interface Asked {
  forms: number;
  samples: number;
  /** The client did not answer, or the approver denied. The call is not paused for a person again. */
  isRefused: boolean;
}

interface Asking extends FoundCall {
  readonly counts: Asked;
  /** Aborts when the call ends, the server cancels, or the permission is revoked. */
  readonly signal: AbortSignal;
}

function clientOf({ options }: OpenCall): CallClient | undefined {
  return options.client;
}

async function answered<Answer>(counts: Asked, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    counts.isRefused = true;
    throw error;
  }
}

/** Characters of a reason that the server reads. */
const MAX_WHY = 500;

/** Why the client did not answer, for the server. */
function exposed(error: unknown): Error {
  return Object.assign(new Error(messageOf(error).slice(0, MAX_WHY)), { expose: true });
}

function termsOf({ entries }: InstalledPlugin): Json {
  return entries[0]?.instances[0]?.terms ?? null;
}

/** The question about a request to the model. It shows the whole request. */
function samplingQuestion({ call, signal }: Asking, params: JsonObject, terms: Json): Question {
  const { callId, tool, version, bundle, inputText, options } = call;
  const { tenant, approve, context, unattended } = options;
  const conversationId = isRecord(context) ? context['conversationId'] : undefined;
  return {
    kind: 'effect',
    callId,
    plugin: tool.plugin,
    version,
    tool: tool.tool,
    id: tool.id,
    title: tool.title,
    bundle,
    inputText,
    terms,
    risk: 'medium',
    riskWhy: 'it sends a text to your model, at your cost, and the plugin reads the answer',
    why: 'the plugin asks the model of the client',
    effect: {
      method: 'SAMPLE',
      url: MODEL,
      headers: [],
      body: visibleText(JSON.stringify(params, undefined, 2)),
    },
    tenant,
    approve,
    ...(typeof conversationId === 'string' ? { conversationId } : {}),
    attended: unattended !== true && context?.['isInteractive'] !== false,
    signal,
  };
}

/** The address of the client's model in questions and rules: `SAMPLE mcp:model`. */
const MODEL = 'mcp:model';
