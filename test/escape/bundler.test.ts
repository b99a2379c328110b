import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWalledBundler, walledBundler } from '../../src/engine/node/walled-bundler.js';
import { guestScripts } from '../../src/engine/node/process-defaults.js';
import { inspectMachine } from '../../src/guests/machine.js';
import { bundlerProgram } from '../../src/plugin/bundle/bundler-program.js';

const { plan, superuser } = await inspectMachine(guestScripts.confined());
const canConfine = plan.systemCallFilter && plan.ownRoot;

/** What code in the place of the bundler tries. Node has its files, and no permission model here. */
const ATTACK = `
const fs = require('node:fs');
const net = require('node:net');
const { directory, sibling, port, socket, host } = JSON.parse(Buffer.from(process.argv[1], 'hex'));
const connect = (where) => new Promise((resolve, reject) =>
  net.connect(where).on('connect', resolve).on('error', reject));
const deeds = {
  'reads the list of users': () => fs.readFileSync('/etc/passwd'),
  'reads another plugin': () => fs.readFileSync(sibling + '/index.ts'),
  'learns that another plugin exists': () => fs.statSync(sibling),
  'lists the directory above': () => { if (fs.readdirSync(directory + '/..').length > 1) return; throw new Error('empty'); },
  'reads the home directory': () => fs.readdirSync(require('node:os').homedir()),
  "reads its host's variables": () => fs.readFileSync('/proc/' + host + '/environ'),
  'writes to its plugin': () => fs.writeFileSync(directory + '/new', 'x'),
  'changes its plugin': () => fs.appendFileSync(directory + '/index.ts', 'x'),
  'changes the times of its plugin': () => fs.utimesSync(directory + '/index.ts', 1, 1),
  'writes to the bundler': () => fs.appendFileSync(process.execPath, 'x'),
  'writes a temporary file': () => fs.writeFileSync('/tmp/bulkhead-bundler', 'x'),
  'connects to a port': () => connect({ host: '127.0.0.1', port }),
  'connects to a socket': () => connect({ path: socket }),
  'signals its host': () => process.kill(host, 'SIGURG'),
  'slows its host': () => require('node:os').setPriority(host, 1),
  'runs a program': () => { const { error } = require('node:child_process').spawnSync('/bin/true'); if (error) throw error; },
  'has a variable': () => { const { PWD = '/', ...rest } = process.env; if (PWD !== '/' || Object.keys(rest).some((name) => !/^(TZ|LANG|LC_ALL|OPENSSL_CONF|MALLOC_(MMAP|TRIM)_THRESHOLD_|NODE_CHANNEL.*)$/.test(name))) return; throw new Error('none'); },
};
(async () => {
  const done = [];
  for (const [name, deed] of Object.entries(deeds)) {
    try { await deed(); done.push(name); } catch {}
  }
  const own = fs.readFileSync(directory + '/index.ts', 'utf8');
  process.send({ tried: Object.keys(deeds).length, done, own, user: process.getuid() });
})();
`;

interface Report {
  readonly tried: number;
  readonly done: readonly string[];
  readonly own: string;
  readonly user: number;
}

let root = '';
let port = 0;
const servers: Server[] = [];
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'bulkhead-bundled-'));
  chmodSync(root, 0o755);
  for (const [name, mode] of [
    ['open', 0o755],
    ['private', 0o700],
    ['sibling', 0o755],
  ] as const) {
    mkdirSync(join(root, name), { mode });
    writeFileSync(join(root, name, 'index.ts'), `export const name = '${name}';`);
  }
  port = await listen({ host: '127.0.0.1', port: 0 });
  await listen({ path: join(root, 'socket') });
});
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(root, { recursive: true, force: true });
});

async function listen(where: object): Promise<number> {
  const server = createServer((socket) => socket.destroy());
  servers.push(server);
  server.listen(where);
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function attack(name: string): Promise<Report> {
  const directory = join(root, name);
  const facts = {
    directory,
    sibling: join(root, 'sibling'),
    port,
    socket: join(root, 'socket'),
    host: process.pid,
  };
  const order = Buffer.from(JSON.stringify(facts)).toString('hex');
  const { code } = bundlerProgram();
  const child = await startWalledBundler()({ args: ['-e', ATTACK, order], code }, [directory]);
  try {
    const [report] = await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([status]) => {
        throw new Error(`the attack ended with ${String(status)}`);
      }),
    ]);
    return report as Report;
  } finally {
    child.kill('SIGKILL');
  }
}

describe.skipIf(!canConfine)('code in the place of the bundler', () => {
  it('reads its plugin, and does nothing else', async () => {
    const { tried, done, own, user } = await attack('open');
    expect({ tried, done }).toEqual({ tried: 17, done: [] });
    expect(own).toContain("'open'");
    if (!superuser) return;
    expect(user).toBeGreaterThanOrEqual(plan.ownUser?.first ?? Infinity);
  });

  it('does the same for a plugin that only its owner can read', async () => {
    const { done, own, user } = await attack('private');
    expect(done).toEqual([]);
    expect(own).toContain("'private'");
    expect(user).toBe(process.getuid?.());
  });
});

describe('the bundler behind walls', () => {
  it.each(['open', 'private'])('bundles a plugin that is %s', async (name) => {
    const { bundle } = await walledBundler().build({
      directory: join(root, name),
      entry: { file: 'index.ts' },
    });
    expect(bundle.code).toContain(`"${name}"`);
    expect(bundle.inputs.map(({ path }) => path)).toEqual(['index.ts']);
  });
});
