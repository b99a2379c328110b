import { always } from './compartment-globals.js';

const AbortController = always('AbortController');

/** The class itself is hardened, and the package adds members to its own. */
function OwnAbortController(): unknown {
  return new AbortController();
}
OwnAbortController.prototype = AbortController.prototype;

/** The package abort-controller: a class with itself and `AbortSignal` as members. */
export const builtin: object = Object.assign(OwnAbortController, {
  AbortController,
  AbortSignal: Reflect.get(globalThis, 'AbortSignal'),
  default: AbortController,
  __esModule: true,
});
