import type { JsonObject } from '../../sandbox/wire/messages.js';
import { isObject } from '../schema/shape.js';
import type { RunOutside } from '../plugin/outside.js';
import type { Carried, Carrier } from './carry.js';
import { failureOf } from './result.js';

/** Carries a call to a tool that runs elsewhere: all that can be done to stop it is to tell it so. */
export function carryOutside(call: Carried, run: RunOutside): Carrier {
  const { callId, tool, inputText, options, deadlineMs, maxResultBytes } = call;
  const stop = new AbortController();
  let over = false;
  const { onOutput } = options;
  const listen = (chunk: string): void => {
    if (!over) onOutput?.(chunk);
  };
  return {
    start: (settle) => {
      if (over) return;
      const input: unknown = JSON.parse(inputText);
      const started = Promise.resolve().then(() =>
        run({
          callId,
          input: isJsonObject(input) ? input : {},
          signal: stop.signal,
          timeoutMs: deadlineMs,
          metadata: options.context ?? {},
          maxResultBytes,
          ...(onOutput === undefined ? {} : { onOutput: listen }),
        }),
      );
      started.then(
        (answer) => settle({ answer }),
        (error: unknown) => settle(failureOf(error, tool)),
      );
    },
    giveUp: (why) => stop.abort(new Error(why)),
    done: () => {
      over = true;
    },
    mapStack: (stack) => stack,
  };
}

function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value);
}
