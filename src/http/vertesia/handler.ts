import { servedTools } from '../../adapters/served.js';
import type { Engine } from '../../engine/engine-api.js';
import { parseBody, readBody } from '../body.js';
import { SERVER_LIMITS, type ServerLimits } from '../limits.js';
import { HttpRefusal, type JsonAnswer, jsonResponse, refusalOf } from '../refusal.js';
import type { AcquireSlot, Invoking } from '../route.js';
import { makeVerifier, type Principal, tenantOf, type Verifier } from '../tokens/verify.js';
import { makeApplication } from './application.js';
import type { VertesiaHandler, VertesiaOptions } from './options.js';
import {
  describeTools,
  parseInvocation,
  refusalOfThrow,
  responseOf,
  runContext,
  toolUseIdOf,
  UNKNOWN_ID,
} from './protocol.js';

/** A handler whose POST needs no `Request`: for a server of Node. */
export interface VertesiaServer extends VertesiaHandler {
  readonly invoke: (request: Invoking, acquireSlot: AcquireSlot) => Promise<JsonAnswer>;
}

export function makeVertesiaServer(engine: Engine, options: VertesiaOptions): VertesiaServer {
  let verifier = makeVerifier({ ...options, limits: {} });
  /** Replaced verifiers, which may still verify tokens. */
  const retired: Verifier[] = [];
  const limits: ServerLimits = { ...SERVER_LIMITS, ...options.limits };
  const served = servedTools(engine.catalog, options.tools);

  const invoke = async (request: Invoking, acquireSlot: AcquireSlot): Promise<JsonAnswer> => {
    const startedAt = performance.now();
    const progress: Progress = {
      id: UNKNOWN_ID,
      tool: '',
      principal: undefined,
      callId: undefined,
    };
    const answer = await run(request, progress, acquireSlot).catch((error: unknown) =>
      errorAnswer(progress.id, refusalOf(error)),
    );
    const { id, tool, principal, callId } = progress;
    if (principal !== undefined) {
      options.onInvocation?.({
        toolUseId: id,
        tool,
        subject: principal.subject,
        organization: principal.organization,
        callId,
        status: answer.status,
        durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
      });
    }
    return answer;
  };

  const run = async (
    request: Invoking,
    progress: Progress,
    acquireSlot: AcquireSlot,
  ): Promise<JsonAnswer> => {
    // Verified before the body is parsed. Refused after it, because the answer contains the body's id.
    const verified = await settle(() => verifier.verify(request.authorization));
    // A caller without a valid token uses no slot while it sends its body.
    if ('value' in verified) acquireSlot(tenantOf(verified.value));
    const maxBodyBytes = 'error' in verified ? MAX_UNVERIFIED_BYTES : limits.maxBodyBytes;
    const parsed = await settle(async () =>
      parseBody(await request.readBody({ ...limits, maxBodyBytes }), limits),
    );
    if ('value' in parsed) progress.id = toolUseIdOf(parsed.value) ?? UNKNOWN_ID;
    // guard: call-needs-token
    if ('error' in verified) throw verified.error;
    progress.principal = verified.value;
    if ('error' in parsed) throw parsed.error;
    const { name, input, metadata } = parseInvocation(parsed.value);
    const tool = served.find(name);
    if (tool === undefined) throw notFound(name);
    progress.tool = tool.name;
    const context = runContext(metadata, progress.id);
    try {
      const result = await engine.call(tool.name, input, {
        signal: request.signal,
        context,
        // guard: call-tenant-is-account
        tenant: tenantOf(verified.value),
      });
      progress.callId = result.callId;
      return { status: 200, body: responseOf(progress.id, result) };
    } catch (error) {
      throw refusalOfThrow(error);
    }
  };

  return {
    fetch: async (request, acquireSlot = () => {}) => {
      if (request.method === 'POST') {
        const invoking: Invoking = {
          authorization: request.headers.get('authorization'),
          readBody: (most) => readBody(request, most),
          signal: request.signal,
        };
        const { status, body, headers } = await invoke(invoking, acquireSlot);
        return jsonResponse(body, status, headers);
      }
      if (request.method === 'GET' || request.method === 'HEAD') {
        acquireSlot();
        return jsonResponse(describeTools(served, options));
      }
      const refusal = new HttpRefusal(405, `${request.method} is not supported here`, {
        headers: { allow: 'GET, HEAD, POST' },
      });
      const { status, body, headers } = errorAnswer(UNKNOWN_ID, refusal);
      return jsonResponse(body, status, headers);
    },
    invoke,
    application: makeApplication({
      engine,
      served,
      options,
      verify: (authorization) => verifier.verify(authorization),
      limits,
    }),
    refresh: (tokens) => {
      if (tokens === undefined) return verifier.refresh();
      const next = makeVerifier({ ...options, ...tokens, limits: {} });
      retired.push(verifier);
      // guard: token-verifier-replaced
      verifier = next;
    },
    close: async () => {
      await Promise.all([...retired, verifier].map((one) => one.close()));
    },
  };
}

/** Bytes of a body that are read without a valid token: enough to find its id. */
const MAX_UNVERIFIED_BYTES = 64 * 1024;

/** The facts that are known of a request, for its answer and its record. */
interface Progress {
  id: string;
  tool: string;
  principal: Principal | undefined;
  callId: string | undefined;
}

type Settled<Value> = { readonly value: Value } | { readonly error: unknown };

async function settle<Value>(run: () => Promise<Value>): Promise<Settled<Value>> {
  try {
    return { value: await run() };
  } catch (error) {
    return { error };
  }
}

function notFound(name: string): HttpRefusal {
  const shown = name.slice(0, 200);
  return new HttpRefusal(404, `Tool function not found: ${shown}`, { data: { tool_name: shown } });
}

/** The protocol's `ToolExecutionResponseError`. */
function errorAnswer(toolUseId: string, refusal: HttpRefusal): JsonAnswer {
  const { status, message, data, headers } = refusal;
  const body = {
    tool_use_id: toolUseId,
    status,
    error: message,
    ...(data === undefined ? {} : { data }),
  };
  return { status, body, headers };
}
