import { abort } from './abort.js';
import { base64 } from './base64.js';
import { clone } from './clone.js';
import { console } from './console.js';
import { crypto } from './crypto.js';
import type { Endowment } from './endowment.js';
import { environment } from './environment.js';
import { filesystem } from './filesystem.js';
import { floats } from './floats.js';
import { network } from './network.js';
import { powers } from './powers.js';
import { random } from './random.js';
import { storage } from './storage/endowment.js';
import { text } from './text.js';
import { time } from './time.js';
import { timers } from './timers.js';
import { url } from './url.js';
import { web } from './web.js';

/** Every capability that a compartment may get. */
export const endowments: Readonly<Record<string, Endowment>> = {
  abort,
  base64,
  clone,
  console,
  crypto,
  env: environment,
  fs: filesystem,
  floats,
  network,
  powers,
  random,
  storage,
  text,
  time,
  timers,
  url,
  web,
};
