import type { HostPower } from './endowments/endowment.js';
import { type DraftSpec, openDraft } from './hooks/draft.js';
import { type HeldPieces, makeHeldPieces } from './hooks/pieces.js';
import type { Loaded } from './loaded.js';
import { serialize } from './serialize.js';
import { CodedError } from './wire/failure.js';
import { BROADCAST_BYTES, type HookParams } from './wire/hooks.js';
import { RawJson } from './wire/service.js';

/** Runs hooks as the host asks for them, and remembers what their contexts are told by. */
export interface HookRuns {
  run(loaded: Loaded, params: HookParams): Promise<RawJson>;
}

export function makeHookRuns(host: () => Pick<HostPower, 'notify'>): HookRuns {
  const held: HeldPieces = makeHeldPieces();
  return {
    run: (loaded, params) => {
      // At once: a later message may count on what this one brings.
      const told = held.take(params);
      return runHook(loaded, params, told, host());
    },
  };
}

async function runHook(
  { params: { limits }, attach }: Loaded,
  params: HookParams,
  told: DraftSpec['told'],
  host: Pick<HostPower, 'notify'>,
): Promise<RawJson> {
  const { hooks } = await attach();
  if (hooks === undefined) throw new CodedError('LOAD_FAILED', 'the plugin has no hooks');
  const write = (value: unknown, maxResultBytes: number): string =>
    serialize(value, { ...limits, maxResultBytes });
  const draft = openDraft({
    params,
    told,
    lent: hooks.lend((detail) => {
      const text = attempt(() => write(detail, BROADCAST_BYTES)) ?? UNSERIALIZABLE;
      host.notify('broadcast', new RawJson(`{"run":${params.run},"detail":${text}}`));
    }),
    serialize: (value) => write(value, params.maxBytes),
  });
  const { returned } = await hooks.run(params.hook, draft.context);
  return new RawJson(draft.settle(returned));
}

const UNSERIALIZABLE = '{"unserializableDetail":true}';

function attempt(make: () => string): string | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
