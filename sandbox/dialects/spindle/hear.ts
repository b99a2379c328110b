import type { Json } from '../../wire/messages.js';
import { isRecord } from '../../wire/parse.js';
import type { EventWorld } from '../dialect.js';
import { withSignal } from '../with-signal.js';
import { isHookKind } from './hooks.js';
import { readField } from './read-field.js';
import type { Runtime } from './runtime.js';

/**
 * What a host tells an extension, by the name of the event. Names of Lumiverse's own events go to
 * `spindle.on` as they are; those that begin with `spindle:` mean one member:
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
 *   spindle:frontendProcesses.lifecycle, .message, spindle:backendProcesses.… { event } → null
 * ```
 *
 * `null` from a handler that changes something on its way means: as it was. What the host says takes
 * at most as long as the host waits.
 */
export async function hear(
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
  if (isHookKind(kind)) return (await runtime.hooks.run(kind, [given['context']])) ?? null;
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
    case 'frontendMessage':
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

/** The handler answers with messages alone, or with messages and more; anything else changes nothing. */
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
