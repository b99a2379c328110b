// Measures this engine against the floor and against its peers, in one run. See USAGE.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const USAGE = `npm run bench                  measures everything; writes bench/results.json, docs/bench.md and its
                               picture, docs/bench.svg. On a machine that is not quiet, it judges
                               no goal and writes nothing
npm run bench -- --short       fewer rounds and no peers; writes nothing
npm run bench -- --check       fails if a ratio to the floor is worse than in bench/baseline.json
npm run bench -- --write-baseline
                               writes that file again
npm run bench -- --install     installs the peers from npm into bench/node_modules, and a newer Node
                               for peers that need one
npm run bench -- --picture     writes docs/bench.md and docs/bench.svg again from bench/results.json

  --node PATH                  the Node for peers that need a newer one
`;

const options = parse();
if (options === undefined) {
  process.exitCode = 1;
} else if (options.help) {
  process.stdout.write(USAGE);
} else {
  const { install, picture } = options;
  // Guests run the build, so it must be current.
  if (!install && !picture) build();
  if (install) (await import('./peers/install.js')).installPeers();
  else if (picture) (await import('./full.js')).drawAgain();
  else if (options['write-baseline']) await (await import('./check.js')).writeBaseline();
  else if (options.check) process.exitCode = await (await import('./check.js')).check();
  else await (await import('./full.js')).measureAll({ short: options.short, node: options.node });
  // Peers that ran in this process may leave threads behind.
  process.exit();
}

type Options = Readonly<
  Record<'check' | 'help' | 'install' | 'picture' | 'short' | 'write-baseline', boolean>
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
        node: { type: 'string' },
        picture: flag,
        short: flag,
        'write-baseline': flag,
      },
    });
    const { check, install, picture, short, 'write-baseline': writes } = values;
    if ([check, install, picture, short, writes].filter(Boolean).length > 1) {
      throw new Error('Use only one of these options.');
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
