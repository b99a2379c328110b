import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../architecture/sources.js';
import { makeDirectory } from '../engine/plugin-on-disk.js';
import { afterEachFile } from '../tidying.js';
import { type Cell, makeCell } from './cell.js';
import { hasNats, startNats } from './nats-server.js';

const EXAMPLE = join(ROOT, 'examples/fleet');
const CLI = join(ROOT, 'dist/lib/cli/main.cjs');
const RUNNERS = ['runner-0', 'runner-1'];

const running = new Set<ChildProcess>();
afterEachFile(async () => {
  await Promise.all(
    [...running].map(async (child) => {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }),
  );
});

const textOf = (name: string): string => readFileSync(join(EXAMPLE, name), 'utf8');

interface Service {
  readonly command: string;
}

const { services } = parse(textOf('compose.yaml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
};

/** The words of a service's command, as a container gets them. */
const wordsOf = (name: string): readonly string[] => (services[name]?.command ?? '').split(/\s+/);

interface Container {
  readonly args: readonly string[];
  readonly image: string;
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly mountPath: string }[];
}

interface Workload {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly replicas: number;
    readonly template: {
      readonly spec: {
        readonly containers: readonly Container[];
        readonly initContainers: readonly { readonly command: readonly string[] }[];
        readonly securityContext: object;
      };
    };
  };
}

describe('the manifest for Kubernetes', () => {
  const { items } = parse(textOf('kubernetes.yaml'), { merge: true }) as {
    readonly items: readonly Workload[];
  };
  const workload = (name: string): Workload['spec'] | undefined =>
    items.find(({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === name)?.spec;

  it('starts the gateway and the runners with the commands of the compose file', () => {
    const [gateway] = workload('gateway')?.template.spec.containers ?? [];
    expect(gateway?.args).toEqual(wordsOf('gateway'));
    const [runner] = workload('runner')?.template.spec.containers ?? [];
    expect(workload('runner')?.replicas).toBe(RUNNERS.length);
    for (const name of RUNNERS) {
      expect(runner?.args.map((word) => word.replace('$(POD_NAME)', name))).toEqual(wordsOf(name));
    }
  });

  it.each(['gateway', 'runner'])('gives a %s no privileges, and keys of mode 0600', (name) => {
    const pod = workload(name)?.template.spec;
    expect(pod?.securityContext).toMatchObject({ runAsNonRoot: true });
    expect(pod?.initContainers[0]?.command.at(-1)).toBe('install -m 0600 /mounted/* /secrets/');
    const [container] = pod?.containers ?? [];
    expect(container?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container?.volumeMounts.map(({ mountPath }) => mountPath)).toEqual([
      '/data',
      '/tmp',
      '/secrets',
    ]);
  });
});

describe.skipIf(!hasNats)('the compose file of a fleet', () => {
  it('starts a gateway whose calls run on its runners, and which shows them in its metrics', async () => {
    const { directory, environment } = makeSecrets();
    const secrets = join(directory, 'secrets');
    const configuration = textOf('nats.conf')
      .replace(/^listen:.*$/m, '')
      .replace(/^jetstream .*$/m, '')
      .replaceAll('/secrets/', `${secrets}/`);
    const { url } = await startNats(configuration, environment);
    const cell = await makeCell(url, [{ id: 'sample', tools: { echo: '(input) => input.text' } }]);
    /** The containers' paths and addresses, on this machine. */
    const here = (text: string): string =>
      text
        .replace('nats:4222', url.replace('nats://127.0.0.1', 'localhost'))
        .replace('0.0.0.0', '127.0.0.1')
        .replace(/\b(?:4173|9464)$/, '0')
        .replaceAll('/secrets/', `${secrets}/`)
        .replaceAll('/srv/', `${cell.root}/`)
        .replaceAll('/data/', `${directory}/`);
    writeFileSync(
      join(cell.root, 'bulkhead.config.json'),
      textOf('bulkhead.config.json')
        .split('\n')
        .map((line) => here(line))
        .join('\n'),
    );
    for (const name of RUNNERS) start(name, wordsOf(name).map(here), { directory, environment });
    const log = logOf(start('gateway', wordsOf('gateway').map(here), { directory, environment }));
    const mcp = await log('serving');
    const metrics = await log('serving metrics');
    const view = { authorization: `Bearer ${environment['BULKHEAD_VIEW_TOKEN'] ?? ''}` };
    await vi.waitFor(
      async () => {
        const text = await (await fetch(metrics, { headers: view })).text();
        expect(text).toContain('bulkhead_fleet_runners{state="ready"} 2');
        expect(text).toContain('bulkhead_fleet_runner_max_calls{runner="runner-1"} 64');
      },
      { timeout: 60_000, interval: 250 },
    );
    expect(await callEcho(`${mcp}/mcp`, environment, cell)).toBe('hello');
  });
});

/** Runs the script of the example, and reads the environment that it prints. */
function makeSecrets(): { directory: string; environment: Record<string, string> } {
  const directory = makeDirectory();
  mkdirSync(join(directory, 'home'));
  const printed = execFileSync(process.execPath, [join(EXAMPLE, 'make-secrets.mjs')], {
    cwd: directory,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines = printed.trim().split('\n');
  return {
    directory,
    environment: Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2))),
  };
}

function start(
  name: string,
  words: readonly string[],
  {
    directory,
    environment,
  }: { readonly directory: string; readonly environment: Readonly<Record<string, string>> },
): ChildProcess {
  const home = join(directory, `home-${name}`);
  mkdirSync(home);
  const child = spawn(process.execPath, [CLI, ...words], {
    cwd: home,
    env: { ...process.env, ...environment, HOME: home },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Waits for the line of a server's log with this message, and returns its URL. */
function logOf(child: ChildProcess): (message: string) => Promise<string> {
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => (log += String(chunk)));
  return (message) =>
    vi.waitFor(
      () => {
        const found = log
          .split('\n')
          .filter((line) => line.startsWith('{') && line.endsWith('}'))
          .map((line) => JSON.parse(line) as { readonly msg: string; readonly url?: string })
          .find(({ msg }) => msg === message);
        if (found?.url === undefined) throw new Error(log);
        return found.url;
      },
      { timeout: 60_000, interval: 100 },
    );
}

async function callEcho(
  url: string,
  environment: Readonly<Record<string, string>>,
  { lockFile }: Cell,
): Promise<unknown> {
  expect(readFileSync(lockFile, 'utf8')).toContain('"sample"');
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), {
      requestInit: {
        headers: { authorization: `Bearer ${environment['BULKHEAD_TOKEN'] ?? ''}` },
      },
    }),
  );
  try {
    const { tools } = await client.listTools();
    const [tool] = tools;
    const { content } = await client.callTool({
      name: tool?.name ?? '',
      arguments: { text: 'hello' },
    });
    const [first] = content;
    return first?.type === 'text' ? first.text : undefined;
  } finally {
    await client.close();
  }
}
