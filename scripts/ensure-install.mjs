// `npm test` works on a fresh clone: installs the dependencies where they are missing or stale.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const read = (path) => {
  try {
    return readFileSync(new URL(path, import.meta.url), 'utf8');
  } catch {
    return undefined;
  }
};

const wanted = JSON.parse(read('../package-lock.json') ?? '{}').packages ?? {};
const installed = JSON.parse(read('../node_modules/.package-lock.json') ?? '{}').packages ?? {};
const stale = Object.entries(wanted).some(
  ([path, { version, optional }]) =>
    path !== '' && optional !== true && installed[path]?.version !== version,
);
if (stale) {
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: new URL('..', import.meta.url),
    stdio: 'inherit',
  });
}
