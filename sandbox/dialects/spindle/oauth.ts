import type { DialectWorld } from '../dialect.js';
import { type Callback, demandCallback } from './callbacks.js';
import type { HostCalls } from './host-calls.js';
import type { HeldPermissions } from './permissions.js';
import { readField, strict } from './strict.js';

export interface OAuth {
  /** `spindle.oauth`. */
  readonly api: object;
  /** Passes the parameters of a callback to the extension. Returns the page to show. */
  callback(params: unknown): Promise<unknown>;
}

export function makeOAuth(
  world: DialectWorld,
  calls: HostCalls,
  permissions: HeldPermissions,
): OAuth {
  let handler: Callback | undefined;
  return {
    callback: async (params) => {
      if (handler === undefined || !permissions.has('oauth')) {
        throw new Error('No OAuth callback handler registered');
      }
      const answer: unknown = await Reflect.apply(handler, undefined, [params]);
      return { html: readField(answer, 'html') };
    },
    api: strict('spindle.oauth', {
      onCallback: (given: unknown): (() => void) => {
        const mine = demandCallback(given, 'spindle.oauth.onCallback');
        if (!permissions.has('oauth')) permissions.deny('oauth', 'onCallback');
        handler = mine;
        return () => {
          if (handler === mine) handler = undefined;
        };
      },
      getCallbackUrl: (): string => `/api/spindle-oauth/${world.powers.plugin.id}/callback`,
      createState: async (): Promise<unknown> => {
        if (!permissions.has('oauth')) throw new Error('OAuth permission not granted');
        return calls.request({ name: 'spindle.oauth.createState', permission: 'oauth' }, []);
      },
    }),
  };
}
