import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { behindKernel, type Command, type Machine, type ProcessLimits } from './command.js';

/** What became of a program that tried to connect to a port of this machine. */
export type Attempt = 'connected' | 'failed' | 'untried';

export interface NetworkTrial {
  /** Behind the walls that a guest is behind. */
  readonly walled: Attempt;
  /** Behind all of them but the empty network: only if this one connects was anything shown. */
  readonly open: Attempt;
}

const TRIAL_MS = 10_000;

/** Tries the network for real, as nothing but a program that means it can show whether it is there. */
export async function tryNetwork(machine: Machine, limits: ProcessLimits): Promise<NetworkTrial> {
  const server = createServer((socket) => socket.destroy());
  try {
    const port = await new Promise<number>((resolve, reject) => {
      server.once('error', reject).listen(0, '127.0.0.1', () => resolve(portOf(server.address())));
    });
    // Without Node's permission model: newer ones refuse sockets themselves, and the kernel is tried.
    const program = [machine.node, '-e', CONNECT, String(port)];
    const [walled, open] = await Promise.all([
      attempt(behindKernel(machine, limits, program, ['no-network'])),
      attempt(behindKernel(machine, limits, program, [])),
    ]);
    return { walled, open };
  } catch {
    return { walled: 'untried', open: 'untried' };
  } finally {
    server.close();
  }
}

/** What the trial shows of a guest that is in one network, where its host is in another. */
export function proveNetwork(
  networks: { readonly guest: string; readonly host: string },
  { walled, open }: NetworkTrial,
): { readonly stands: boolean; readonly evidence: string } {
  if (networks.guest === '' || networks.guest === networks.host) {
    return { stands: false, evidence: 'the guest shares the network of its host' };
  }
  if (open !== 'connected') {
    return {
      stands: false,
      evidence: 'no program here can connect to this machine, so none shows',
    };
  }
  return walled === 'failed'
    ? {
        stands: true,
        evidence:
          'a program behind the same walls could not connect to a port of this machine; one without could',
      }
    : { stands: false, evidence: 'a program behind the same walls was not kept from connecting' };
}

const CONNECTED = 40;
const FAILED = 41;

const CONNECT = `require('node:net').connect(Number(process.argv[1]), '127.0.0.1')
  .on('connect', () => process.exit(${CONNECTED})).on('error', () => process.exit(${FAILED}))`;

function attempt({ file, args, env }: Command): Promise<Attempt> {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      env,
      cwd: '/',
      stdio: 'ignore',
      timeout: TRIAL_MS,
      killSignal: 'SIGKILL',
    });
    child.on('error', () => resolve('untried'));
    child.on('exit', (code) =>
      resolve(code === CONNECTED ? 'connected' : code === FAILED ? 'failed' : 'untried'),
    );
  });
}

function portOf(address: ReturnType<ReturnType<typeof createServer>['address']>): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}
