import { renameSync, rmSync, symlinkSync } from 'node:fs';

// Puts a link to `target` in the place of the directory `path`, and back, as fast as it can. A process
// that makes a directory there meanwhile loses it.
const [, , path, target] = process.argv;
const [kept, link] = [`${path}.kept`, `${path}.link`];
symlinkSync(target, link);
process.send('ready');
process.on('disconnect', () => process.exit());
const attempt = (change) => {
  try {
    change();
    return true;
  } catch {
    return false;
  }
};
const swap = () => {
  for (let count = 0; count < 100; count += 1) {
    attempt(() => renameSync(path, kept));
    if (attempt(() => renameSync(link, path))) renameSync(path, link);
    while (!attempt(() => renameSync(kept, path))) rmSync(path, { recursive: true, force: true });
  }
  setImmediate(swap);
};
swap();
