import type { Json } from '../../sandbox/wire/messages.js';
import type { LoadParams } from '../../sandbox/wire/methods.js';
import type { Peer, Service } from '../../sandbox/wire/peer.js';
import { BulkheadError } from '../errors.js';
import type { EventBus } from '../events.js';
import { endError, type GuestEnd, GuestEnded } from '../guests/end.js';
import type { Guest } from '../guests/guest.js';

/** The guest in which an entry lives, from its first use on: loaded, and replaced when it ends. */
export interface Resident {
  /** The loaded guest where there is one now. */
  readonly current: Guest | undefined;
  /** The loaded guest; starts and loads one where there is none. Rejects with the reason. */
  acquire(): Promise<Guest>;
  /** Tells this and every later guest what inputs have to fit. */
  setSchemas(schemas: Schemas): void;
  /** Ends the guest, if there is one. The next `acquire` starts another. */
  end(end: GuestEnd): void;
}

export interface Schemas {
  readonly validator: string;
  readonly schemas: readonly (readonly [tool: string, schema: Json])[];
}

export interface ResidentSpec {
  readonly plugin: string;
  readonly entry: string;
  readonly bundleHash: string;
  readonly take: () => Guest;
  /** Everything but the code is made anew for each guest: variables are read when it loads. */
  readonly load: () => LoadParams;
  readonly service: (peer: Peer) => Service;
  readonly loadTimeoutMs: number;
  readonly events: EventBus;
}

export function makeResident(spec: ResidentSpec): Resident {
  let current: Guest | undefined;
  let loading: Promise<Guest> | undefined;
  let schemas: Schemas | undefined;
  let starting: Guest | undefined;

  const tellSchemas = (guest: Guest): void => {
    if (schemas === undefined) return;
    // Nobody waits for it: messages keep their order, so every later call finds the schemas there.
    guest.peer.ask('schemas', schemas).answer.catch(() => {});
  };

  const start = async (): Promise<Guest> => {
    const guest = spec.take();
    starting = guest;
    watch(guest);
    guest.serve(spec.service(guest.peer));
    const began = performance.now();
    try {
      await loadWithin(guest, spec);
    } finally {
      starting = undefined;
    }
    tellSchemas(guest);
    current = guest;
    spec.events.emit({
      type: 'plugin-loaded',
      plugin: spec.plugin,
      entry: spec.entry,
      bundle: spec.bundleHash,
      durationMs: performance.now() - began,
    });
    return guest;
  };

  const watch = (guest: Guest): void => {
    const { plugin, events } = spec;
    const { pid } = guest;
    events.emit({ type: 'guest-started', plugin, pid });
    void guest.ended.then(({ cause, detail }) => {
      if (current === guest) current = undefined;
      events.emit({ type: 'guest-ended', plugin, pid, cause, detail });
    });
  };

  return {
    get current() {
      // A guest that was just killed has not ended yet, and takes no more calls.
      return current?.alive === true ? current : undefined;
    },
    acquire: () => {
      if (current?.alive === true) return Promise.resolve(current);
      loading ??= start().finally(() => {
        loading = undefined;
      });
      return loading;
    },
    setSchemas: (next) => {
      schemas = next;
      if (current !== undefined) tellSchemas(current);
    },
    end: (end) => {
      starting?.kill(end);
      current?.kill(end);
    },
  };
}

async function loadWithin(guest: Guest, spec: ResidentSpec): Promise<void> {
  const { plugin, loadTimeoutMs } = spec;
  const timer = setTimeout(() => {
    guest.kill({ cause: 'deadline', detail: `its code was not loaded after ${loadTimeoutMs} ms` });
  }, loadTimeoutMs);
  try {
    await guest.peer.ask('load', spec.load()).answer;
  } catch (error) {
    if (!(error instanceof GuestEnded)) {
      // What threw at load would throw again at every call: this guest is of no use.
      guest.kill({ cause: 'replaced', detail: 'its plugin could not be loaded' });
      throw error;
    }
    if (error.end.cause === 'deadline') throw loadTimedOut(plugin, loadTimeoutMs);
    throw endError(plugin, error.end);
  } finally {
    clearTimeout(timer);
  }
}

function loadTimedOut(plugin: string, deadlineMs: number): BulkheadError {
  return new BulkheadError(
    'DEADLINE_EXCEEDED',
    `The code of ${plugin} was not loaded after ${deadlineMs} ms, and was killed. Code at the top level of its modules runs at load: move long work into the tool.`,
    { deadlineMs },
  );
}
