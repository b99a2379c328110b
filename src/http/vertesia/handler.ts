import { servedTools } from '../../adapters/served.js';
import type { Engine } from '../../engine/engine-api.js';
import { parseBody, readBody } from '../body.js';
import { SERVER_LIMITS, type ServerLimits } from '../limits.js';
import { HttpRefusal, jsonResponse, refusalOf } from '../refusal.js';
import type { Admit } from '../app.js';
import { makeVerifier, type Verifier } from '../tokens/verifier.js';
import { type Principal, tenantOf } from '../tokens/verify.js';
import { refusalOfThrow, responseOf } from './answer.js';
import { makeApplication } from './application.js';
import { describeTools } from './discovery.js';
import { parseInvocation, toolUseIdOf, UNKNOWN_ID } from './invocation.js';
import type { VertesiaOptions } from './options.js';
import { runContext } from './run-context.js';

/** Whose tokens are believed. */
export type BelievedTokens = Pick<VertesiaOptions, 'jwks' | 'audience' | 'organizations'>;

/** A custom tool server, as Vertesia knows it. */
export interface VertesiaHandler {
  /**
   * GET lists the tools; POST runs one, for whoever brings a token that is good. `admit` is called
   * before anything is done for them, and never for a stranger: what it throws is the answer.
   */
  fetch(request: Request, admit?: Admit): Promise<Response>;
  /**
   * The rest of an application: its package, and its tools as activities, at `APPLICATION_PATHS`
   * below `base`. `admit` is called as it is above.
   */
  application(request: Request, base: string, admit?: Admit): Promise<Response>;
  /**
   * Has the keys of all issuers fetched again when they are next needed. With `tokens`, believes what
   * these say and nothing else from now on; throws `INVALID_OPTIONS`, and then nothing has changed.
   */
  refresh(tokens?: BelievedTokens): void;
  close(): Promise<void>;
}

/**
 * Serves an engine's catalog by Vertesia's protocol for custom tools. Nothing but the list of tools
 * is told to anybody without a token of a pinned issuer: whether a tool exists, neither.
 *
 * Throws `INVALID_OPTIONS` for issuers that cannot be pinned.
 */
export function createVertesiaHandler(engine: Engine, options: VertesiaOptions): VertesiaHandler {
  let verifier = makeVerifier({ ...options, limits: {} });
  /** Replaced, while tokens may still be looked at by them. */
  const retired: Verifier[] = [];
  const limits: ServerLimits = { ...SERVER_LIMITS, ...options.limits };
  const served = servedTools(engine.catalog, options.tools);

  const invoke = async (request: Request, admit: Admit): Promise<Response> => {
    const began = performance.now();
    const seen: Seen = { id: UNKNOWN_ID, tool: '', principal: undefined, callId: undefined };
    const answer = await run(request, seen, admit).catch((error: unknown) =>
      errorResponse(seen.id, refusalOf(error)),
    );
    if (seen.principal !== undefined) {
      const { subject, organization } = seen.principal;
      options.onInvocation?.({
        toolUseId: seen.id,
        tool: seen.tool,
        subject,
        organization,
        callId: seen.callId,
        status: answer.status,
        durationMs: Math.round((performance.now() - began) * 10) / 10,
      });
    }
    return answer;
  };

  const run = async (request: Request, seen: Seen, admit: Admit): Promise<Response> => {
    // Before the body, so that nobody makes us parse one for nothing; told after it, for its id.
    const verified = await settle(verifier.verify(request.headers.get('authorization')));
    // A stranger may take as long as they like over their body: it is nobody else's place.
    if ('value' in verified) admit(tenantOf(verified.value));
    const body = await settle(
      readBody(
        request,
        'error' in verified ? { ...limits, maxBodyBytes: STRANGERS_BYTES } : limits,
      ),
    );
    const parsed = 'error' in body ? body : attempt(() => parseBody(body.value, limits));
    if ('value' in parsed) seen.id = toolUseIdOf(parsed.value);
    if ('error' in verified) throw verified.error;
    seen.principal = verified.value;
    if ('error' in parsed) throw parsed.error;
    const { name, input, metadata } = parseInvocation(parsed.value);
    const tool = served.find(name);
    if (tool === undefined) throw notFound(name);
    seen.tool = tool.name;
    const context = runContext(metadata, seen.id);
    try {
      const result = await engine.call(tool.name, input, {
        signal: request.signal,
        context,
        tenant: tenantOf(verified.value),
      });
      seen.callId = result.callId;
      return jsonResponse(responseOf(seen.id, result));
    } catch (error) {
      throw refusalOfThrow(error);
    }
  };

  return {
    fetch: async (request, admit = () => {}) => {
      if (request.method === 'POST') return invoke(request, admit);
      if (request.method === 'GET' || request.method === 'HEAD') {
        admit();
        return jsonResponse(describeTools(served, options));
      }
      const refusal = new HttpRefusal(405, `There is no ${request.method} here`, {
        headers: { allow: 'GET, HEAD, POST' },
      });
      return errorResponse(UNKNOWN_ID, refusal);
    },
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
      verifier = next;
    },
    close: async () => {
      await Promise.all([...retired, verifier].map((one) => one.close()));
    },
  };
}

/** What is read of a body whose sender brought no good token: enough to find an id in. */
const STRANGERS_BYTES = 64 * 1024;

interface Seen {
  id: string;
  tool: string;
  principal: Principal | undefined;
  callId: string | undefined;
}

type Settled<Value> = { readonly value: Value } | { readonly error: unknown };

function settle<Value>(promise: Promise<Value>): Promise<Settled<Value>> {
  return promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

function attempt<Value>(run: () => Value): Settled<Value> {
  try {
    return { value: run() };
  } catch (error) {
    return { error };
  }
}

function notFound(name: string): HttpRefusal {
  const shown = name.slice(0, 200);
  return new HttpRefusal(404, `Tool function not found: ${shown}`, { data: { tool_name: shown } });
}

/** The protocol's `ToolExecutionResponseError`. */
function errorResponse(toolUseId: string, refusal: HttpRefusal): Response {
  const { status, message, data, headers } = refusal;
  const body = {
    tool_use_id: toolUseId,
    status,
    error: message,
    ...(data === undefined ? {} : { data }),
  };
  return jsonResponse(body, status, headers);
}
