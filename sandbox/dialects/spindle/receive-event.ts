import type { Json } from '../../wire/messages.js';
import { isRecord } from '../../wire/json.js';
import type { EventWorld } from '../dialect.js';
import { signals } from '../../endowments/events/signal.js';
import { withSignal } from '../with-signal.js';
import { isHookKind } from './hooks.js';
import { readField } from './strict.js';
import type { Runtime } from './runtime.js';

/**
 * Delivers an event of the host, by its name. Names of Lumiverse's own events go to `spindle.on`
 * unchanged. A name that begins with `spindle:` is for one member:
 *
 * ```
 *   spindle:interceptor          { messages, context } → { messages, parameters?, … } | null
 *   spindle:contextHandler       { context }           → the context | null
 *   spindle:macroInterceptor     { context }           → the result | null
 *   spindle:worldInfoInterceptor { context }           → the result | null
 *   spindle:contentProcessor     { context }           → the patch | null
 *   spindle:macro                { name, context }     → text
 *   spindle:rpc                  { endpoint, requesterExtensionId, effectivePermissions } → value
 *   spindle:provider             { kind, id, request } → the result
 *   spindle:oauth                { params }            → { html? }
 *   spindle:frontendMessage      { payload, userId? }  → null
 *   spindle:command              { commandId, context } → null
 *   spindle:providersChanged     { event }             → null
 *   spindle:settled              null → null, when the handlers of messages and commands have ended
 *   spindle:frontendProcesses.lifecycle, .message, spindle:backendProcesses.… { event } → null
 * ```
 *
 * `null` from a handler that can change its payload means: no change. The host sets the deadline.
 */
export async function receiveEvent(
  runtime: Runtime,
  name: string,
  payload: Json,
  event: EventWorld,
): Promise<unknown> {
  if (!name.startsWith(OWN)) {
    runtime.events.emit(name, payload, event.userId);
    return null;
  }
  const kind = name.slice(OWN.length);
  const given = isRecord(payload) ? payload : {};
  const text = (key: string): string => {
    const value: unknown = given[key];
    return typeof value === 'string' ? value : '';
  };
  if (kind === 'interceptor') return intercept(runtime, given, event);
  if (isHookKind(kind)) {
    const answer: unknown = await runtime.hooks.run(kind, [given['context']]);
    return answer ?? null;
  }
  switch (kind) {
    case 'macro':
      return runtime.macros.pull(text('name'), toJson(given['context']));
    case 'rpc':
      return runtime.rpcPool.answer({
        endpoint: text('endpoint'),
        requesterExtensionId: text('requesterExtensionId'),
        effectivePermissions: textsIn(given['effectivePermissions']),
      });
    case 'provider':
      return runtime.providers.invoke(text('kind'), text('id'), given['request'], event.signal);
    case 'oauth':
      return runtime.oauth.callback(given['params']);
    case 'settled':
      return settled(runtime, event);
    case 'frontendMessage':
      if (readField(given['payload'], 'type') === '__cors_proxy_request') {
        void proxyForPage(runtime, given['payload'], given['userId']);
        return null;
      }
      runtime.listeners.call(kind, [given['payload'], given['userId']]);
      return null;
    case 'command':
      runtime.listeners.call(kind, [given['commandId'], given['context']]);
      return null;
    default:
      runtime.listeners.call(kind, [given['event']]);
      return null;
  }
}

const OWN = 'spindle:';

/** At its deadline the host cancels the request. The handlers then run on. */
async function settled({ listeners }: Runtime, { signal }: EventWorld): Promise<null> {
  await Promise.race([listeners.settled(), aborted(signal)]);
  return null;
}

function aborted(given: unknown): Promise<void> {
  return new Promise((resolve) => {
    signals.read(given)?.onAbort(() => resolve());
  });
}

/** Widgets of pages send requests through their extension, with its permission and its hosts. */
async function proxyForPage(
  { cors, sendToFrontend }: Runtime,
  payload: unknown,
  userId: unknown,
): Promise<void> {
  const answer = { type: '__cors_proxy_response', requestId: readField(payload, 'requestId') };
  const given: unknown = readField(payload, 'options');
  const options = typeof given === 'object' && given !== null ? given : {};
  try {
    const result = await cors(readField(payload, 'url'), {
      ...options,
      responseType: 'arraybuffer',
    });
    sendToFrontend({ ...answer, result }, userId);
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    sendToFrontend({ ...answer, error: message || 'CORS proxy request failed' }, userId);
  }
}

/** Reads the handler's answer: messages, or an object with messages. Ignores other values. */
async function intercept(
  runtime: Runtime,
  given: Readonly<Record<string, unknown>>,
  event: EventWorld,
): Promise<unknown> {
  const context = isRecord(given['context']) ? given['context'] : {};
  const answer = await runtime.hooks.run('interceptor', [
    given['messages'],
    withSignal({ ...context }, event),
  ]);
  if (Array.isArray(answer)) return { messages: answer };
  return Array.isArray(readField(answer, 'messages')) ? answer : null;
}

function toJson(value: unknown): Json {
  const copy: Json = JSON.parse(JSON.stringify(value ?? null));
  return copy;
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
