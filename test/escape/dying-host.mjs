// A host that starts a call which never ends, tells its guest's process, and waits to be killed.
import { findInnermost } from '../../dist/src/guests/guest-process.js';
import { createEngine } from '../../dist/src/index.js';

const nothing = () => {};
let pid = 0;
const engine = await createEngine({
  plugins: [process.argv[2]],
  cacheDirectory: process.argv[3],
  logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  onEvent: (event) => {
    if (event.type === 'guest-started') pid = event.pid;
  },
});
await engine.call('never-ends:breathe', {});
void engine.call('never-ends:loop', {});
setTimeout(() => process.stdout.write(String(findInnermost(pid))), 200);
