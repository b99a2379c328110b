// Measures this engine against the floor and against its peers, in one run. See USAGE.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const USAGE = `npm run bench                  measures everything; writes bench/results.json, docs/bench.md and its
                               picture, docs/bench.svg
npm run bench -- --short       fewer rounds and no peers; writes nothing
npm run bench -- --check       fails where a ratio to the floor is worse than in bench/baseline.json
npm run bench -- --keep        writes that file anew
npm run bench -- --install     gets the peers from npm into bench/node_modules, and a Node for those
                               that this one is too old for, and ends
npm run bench -- --picture     writes docs/bench.md and docs/bench.svg again from bench/results.json

  --node PATH                  the Node for peers that this one is too old for
`;

const options = parse();
if (options === undefined) {
  process.exitCode = 1;
} else if (options.help) {
  process.stdout.write(USAGE);
} else {
  const { install, picture } = options;
  // What guests run is built, and measuring an old build would be measuring something else.
  if (!install && !picture) build();
  if (install) (await import('./peers/install.js')).installPeers();
  else if (picture) (await import('./full.js')).drawAgain();
  else if (options.keep) await (await import('./check.js')).keepRatios();
  else if (options.check) process.exitCode = await (await import('./check.js')).check();
  else await (await import('./full.js')).measureAll({ short: options.short, node: options.node });
  // Peers that ran in this process may leave threads of their own behind.
  process.exit();
}

type Options = Readonly<
  Record<'check' | 'help' | 'install' | 'keep' | 'picture' | 'short', boolean>
> & {
  readonly node: string | undefined;
};

function parse(): Options | undefined {
  const flag = { type: 'boolean', default: false } as const;
  try {
    const { values } = parseArgs({
      options: {
        check: flag,
        help: { ...flag, short: 'h' },
        install: flag,
        keep: flag,
        node: { type: 'string' },
        picture: flag,
        short: flag,
      },
    });
    const { check, install, keep, picture, short } = values;
    if ([check, install, keep, picture, short].filter(Boolean).length > 1) {
      throw new Error('These are done one at a time.');
    }
    return { ...values, node: values.node };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return undefined;
  }
}

function build(): void {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(1);
}
