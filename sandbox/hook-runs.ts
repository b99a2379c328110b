import type { HostCapability } from './endowments/endowment.js';
import { type DraftSpec, openDraft } from './hooks/draft.js';
import { type PieceCache, makePieceCache } from './hooks/piece-cache.js';
import type { Loaded } from './loaded.js';
import { makeLosses, type Losses } from './losses.js';
import { serialize } from './serialize.js';
import { CodedError } from './wire/failure.js';
import { BROADCAST_BYTES, type HookParams } from './wire/hooks.js';
import { RawJson } from './wire/service.js';

/** Runs hooks for the host, and caches the parts of their contexts. */
export interface HookRuns {
  run(loaded: Loaded, params: HookParams): Promise<RawJson>;
}

export function makeHookRuns(host: () => Pick<HostCapability, 'notify'>): HookRuns {
  const cache: PieceCache = makePieceCache();
  return {
    run: (loaded, params) => {
      // Synchronously, because a later message may refer to the parts in this one.
      const sent = cache.take(params);
      return runHook(loaded, params, sent, host());
    },
  };
}

async function runHook(
  { params: { limits }, attach, warn }: Loaded,
  params: HookParams,
  sent: DraftSpec['sent'],
  host: Pick<HostCapability, 'notify'>,
): Promise<RawJson> {
  const { hooks } = await attach();
  if (hooks === undefined) throw new CodedError('LOAD_FAILED', 'the plugin has no hooks');
  const losses = makeLosses();
  const write = (value: unknown, maxResultBytes: number, to?: Losses): string =>
    serialize(value, { ...limits, maxResultBytes }, to === undefined ? undefined : { losses: to });
  const draft = openDraft({
    params,
    sent,
    members: hooks.makeMembers((detail) => {
      const text = attempt(() => write(detail, BROADCAST_BYTES)) ?? UNSERIALIZABLE;
      host.notify('broadcast', new RawJson(`{"run":${params.run},"detail":${text}}`));
    }),
    serialize: (value) => write(value, params.maxBytes, losses),
  });
  const { returned } = await hooks.run(params.hook, draft.context);
  const changes = new RawJson(draft.settle(returned));
  const lost = losses.describe(`A change of the hook ${params.hook}`);
  if (lost !== undefined) warn(lost);
  return changes;
}

const UNSERIALIZABLE = '{"unserializableDetail":true}';

function attempt(make: () => string): string | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
