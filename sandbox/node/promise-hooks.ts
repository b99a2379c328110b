import { promiseHooks } from 'node:v8';
import type { FollowPromises } from '../endowments/async-contexts.js';

/** V8's own hooks. Those of `node:async_hooks` add properties to promises. */
const { createHook } = promiseHooks;

export const followPromises: FollowPromises = ({ init, before, after }) => {
  createHook({
    init: (promise) => init(promise),
    before: (promise) => before(promise),
    after: (promise) => after(promise),
  });
};
