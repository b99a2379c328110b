import { RawJson } from '../../sandbox/wire/service.js';
import type { Guest } from '../guests/guest.js';
import type { Carried, Carrier, Outcome } from './carry.js';
import type { OpenEntry } from './entry.js';
import { failureOf } from './result.js';

/**
 * Carries a call into the guest of its plugin, and starts one where there is none. A guest that has
 * not settled a call by itself after the grace, once nobody waits for it, is killed.
 */
export function carryInside(call: Carried, room: OpenEntry): Carrier {
  const { callId, tool, options } = call;
  const { resident } = room;
  let over = false;
  let cancel: ((why: string) => void) | undefined;
  if (options.onOutput !== undefined) room.outputs.open(callId, options.onOutput);

  const ask = (guest: Guest, settle: (outcome: Outcome) => void): void => {
    if (over) return;
    // While it was still idle, another plugin may have taken its place.
    if (!guest.alive) return acquire(settle);
    room.calls.began(guest.peer, callId);
    const asked = guest.peer.ask('call', new RawJson(callText(call)), call.maxResultBytes);
    const ended = (outcome: Outcome): void => {
      room.calls.ended(guest.peer, callId);
      settle(outcome);
    };
    const settled = asked.answer.then(
      (value) => ended({ value }),
      (error: unknown) => ended(failureOf(error, tool)),
    );
    cancel = (why) => {
      asked.cancel(why);
      resident.doubt(guest, settled, `a call of ${tool.id} did not stop`);
    };
  };

  const acquire = (settle: (outcome: Outcome) => void): void => {
    resident.acquire().then(
      (guest) => ask(guest, settle),
      (error: unknown) => settle(failureOf(error, tool)),
    );
  };

  return {
    start: (settle) => {
      if (resident.current === undefined) acquire(settle);
      else ask(resident.current, settle);
    },
    giveUp: (why) => cancel?.(why),
    done: () => {
      over = true;
      room.outputs.close(callId);
    },
    mapStack: room.mapStack,
  };
}

function callText({ callId, tool, inputText, options }: Carried): string {
  const context = options.context === undefined ? 'null' : JSON.stringify(options.context);
  const { surface } = tool;
  const from = surface === undefined ? '' : `"surface":${JSON.stringify(surface)},`;
  const output = options.onOutput === undefined ? '' : `"output":${JSON.stringify(callId)},`;
  return `{"tool":${JSON.stringify(tool.tool)},${from}${output}"input":${inputText},"context":${context}}`;
}
