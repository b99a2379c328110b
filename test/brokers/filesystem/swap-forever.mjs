import { execFileSync } from 'node:child_process';
import { renameSync, symlinkSync } from 'node:fs';

// Puts a link to `target` (or a pipe, where there is none) in the place of `path`, and back, as
// fast as it can.
const [, , path, target] = process.argv;
const [kept, link] = [`${path}.kept`, `${path}.link`];
if (target === undefined) execFileSync('mkfifo', [link]);
else symlinkSync(target, link);
process.send('ready');
process.on('disconnect', () => process.exit());
const swap = () => {
  for (let count = 0; count < 100; count += 1) {
    renameSync(path, kept);
    renameSync(link, path);
    renameSync(path, link);
    renameSync(kept, path);
  }
  setImmediate(swap);
};
swap();
