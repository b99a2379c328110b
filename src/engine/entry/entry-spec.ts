import type { TapeParams } from '../../../sandbox/wire/tape.js';
import type { Json } from '../../../sandbox/wire/messages.js';
import type { Stores } from '../../brokers/storage/store.js';
import type { EventBus } from '../../events.js';
import type { Capacity } from '../../guests/capacity.js';
import type { Guest } from '../../guests/guest.js';
import type { Effects } from '../call/effects.js';
import type { Group } from './groups.js';
import type { Grant } from '../../permissions/grant.js';
import type { Bundle, Plugin, PluginEntry } from '../../plugin/plugin.js';
import type { HookTexts } from '../hooks/hook-courier.js';
import type { PluginSecrets } from '../options/options.js';
import type { Quarantine } from './quarantine.js';
import type { Settings } from '../options/settings.js';
import type { ValidatorCourier } from './validator-courier.js';

/** All that it takes to open an entry. */
export interface EntrySpec {
  readonly plugin: Plugin;
  readonly entry: PluginEntry;
  readonly grant: Grant;
  /** Which of its variables it holds by reference. */
  readonly secrets: PluginSecrets;
  readonly bundle: Bundle;
  /** The operator's configuration of the plugin, as its system hands it on. */
  readonly config: Json;
  /** The texts of hooks' contexts, of all plugins of the engine. */
  readonly hookTexts: HookTexts;
  readonly settings: Settings;
  readonly events: EventBus;
  readonly validator: ValidatorCourier;
  readonly stores: Stores;
  readonly effects: Effects;
  /** A blank guest of the kind that the entry needs. */
  readonly take: () => Guest;
  /** The trust group whose process it is put into instead. */
  readonly group: Group | undefined;
  /** Room for the engine's guests, and whether they can be stopped while nobody calls them. */
  readonly capacity: Capacity;
  readonly canRest: boolean;
  readonly quarantine: Quarantine;
  /** Its guests' clocks, timers and randomness are recorded. */
  readonly tape?: TapeParams;
  readonly now: () => number;
}
