// A host that was started with something open at a high number: do a program behind walls and a bundler
// get it? The argument names the tools that build the walls. Without perl, nothing around them closes it.
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { startWalledBundler } from '../../dist/src/engine/node/walled-bundler.js';
import { guestScripts } from '../../dist/src/engine/node/process-defaults.js';
import { inspectMachine } from '../../dist/src/guests/machine.js';
import { findWalls } from '../../dist/src/guests/walls/find.js';
import { runBehindWalls } from '../../dist/src/guests/walls/run.js';
import { findUserRange, readUserFiles } from '../../dist/src/guests/walls/users.js';
import { makeBundler } from '../../dist/src/plugin/bundle/bundler.js';

const [, , kind, builder] = process.argv;
const script = guestScripts.confined();
const here = await inspectMachine(script);
const KEPT = {
  perl: ['perl'],
  bwrap: ['bwrap', 'setpriv', 'shell'],
  chain: ['unshare', 'setpriv', 'shell'],
};
const tools = Object.fromEntries(
  Object.entries(here.tools).map(([name, path]) => [
    name,
    KEPT[builder].includes(name) ? path : undefined,
  ]),
);
const users = here.superuser ? findUserRange(undefined, readUserFiles()) : undefined;
const plan = await findWalls({
  machine: { ...here, tools },
  users,
  landlock: here.plan.landlock,
  readable: [script],
});
const machine = { ...here, tools, plan };

/** What a program behind the walls has open: regular files, by device and inode. It sees no names. */
async function seenByProgram() {
  const list = `
    const open = [];
    for (let n = 3; n < 300; n += 1) {
      try { const file = require('node:fs').fstatSync(n); if (file.isFile()) open.push(file.dev + ':' + file.ino); } catch {}
    }
    console.log(JSON.stringify(open));`;
  let out = '';
  const stdout = new Writable({ write: (bytes, _, done) => ((out += bytes), done()) });
  await runBehindWalls(
    machine,
    {
      command: [process.execPath, '-e', list],
      show: [],
      script,
      limits: { memoryMb: 128, cpuSeconds: 60 },
      signal: new AbortController().signal,
    },
    { stdin: process.stdin, stdout, stderr: process.stderr },
  );
  return JSON.parse(out);
}

/** What node and esbuild have open in a bundler, by name. The shell that waits for them runs no code of others. */
async function seenByBundler() {
  const directory = mkdtempSync(join(tmpdir(), 'bulkhead-inherited-'));
  writeFileSync(join(directory, 'index.js'), 'export const tools = [];');
  const waiting = setInterval(() => {}, 1_000);
  let seen = [];
  try {
    const bundler = makeBundler({ start: startWalledBundler(users, machine), processes: 1 });
    await bundler.build({ directory, entry: { file: 'index.js' } });
    seen = descendants(process.pid).filter(readsPlugins).flatMap(openFiles);
  } finally {
    clearInterval(waiting);
    rmSync(directory, { recursive: true });
  }
  return seen;
}

function descendants(pid) {
  const children = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && parentOf(name) === pid,
  );
  return children.flatMap((child) => [Number(child), ...descendants(Number(child))]);
}

function parentOf(pid) {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

function readsPlugins(pid) {
  return /\/(node|esbuild)$/.test(readlinkSync(`/proc/${pid}/exe`));
}

function openFiles(pid) {
  return readdirSync(`/proc/${pid}/fd`).map((number) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${number}`);
    } catch {
      return 'closed since';
    }
  });
}

const host = openFiles('self');
const seen = await (kind === 'bundler' ? seenByBundler() : seenByProgram());
process.stdout.write(JSON.stringify({ builder: plan.builder, host, seen }));
process.exit(0);
