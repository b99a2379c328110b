import type * as JetStream from '@nats-io/jetstream';
import type * as Kv from '@nats-io/kv';
import type * as Obj from '@nats-io/obj';
import type * as Transport from '@nats-io/transport-node';
import type { ConnectionOptions, NatsConnection } from '@nats-io/transport-node';
import { BulkheadError, messageOf } from '../errors.js';
import { readSecretFile } from '../keys/key-file.js';
import type { FleetConnection } from './options.js';
import { requireName, type Subjects, subjectsOf } from './subjects.js';

type Nats = typeof Transport & {
  readonly obj: typeof Obj;
  readonly kv: typeof Kv;
  readonly jetstream: typeof JetStream;
};

/** An open connection to the cell's NATS servers. */
export interface Cell {
  readonly nats: Nats;
  readonly connection: NatsConnection;
  readonly name: string;
  readonly cell: string;
  readonly subjects: Subjects;
  /** The subject below which this process alone receives answers. */
  readonly inbox: string;
  /** Whether the server is connected now. */
  isConnected(): boolean;
  /** Milliseconds since the connection was lost; 0 while it is there. */
  lostForMs(): number;
}

/** Throws `INVALID_OPTIONS`, `INVALID_KEY`, and `FLEET_FAILED` if no server can be reached. */
export async function connectCell(options: FleetConnection): Promise<Cell> {
  const cell = requireName('fleet.cell', options.cell ?? 'main');
  const name = requireName('fleet.name', options.name);
  const { servers } = options;
  if (!Array.isArray(servers) || servers.length === 0) {
    throw invalid('fleet.servers', 'takes the URLs of NATS servers, e.g. ["tls://nats:4222"]');
  }
  for (const server of servers) requireSafe(server, options);
  const nats = await loadNats();
  const secrets = { ...authenticationOf(options, nats), ...tlsOf(options) };
  const inbox = `_INBOX_${name}`;
  let connection: NatsConnection;
  try {
    connection = await nats.connect({
      servers: [...servers],
      name: `bulkhead ${name}`,
      inboxPrefix: inbox,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      pingInterval: 5_000,
      ...secrets,
    });
  } catch (error) {
    throw new BulkheadError(
      'FLEET_FAILED',
      `NATS cannot be reached at ${servers.join(', ')}: ${messageOf(error)}. Check the URL, and the keys of ${name}.`,
      { reason: 'transport' },
      { cause: error },
    );
  }
  let lostAtMs: number | undefined;
  void (async () => {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') lostAtMs ??= performance.now();
      else if (type === 'reconnect') lostAtMs = undefined;
    }
  })();
  return {
    nats,
    connection,
    name,
    cell,
    subjects: subjectsOf(cell),
    inbox,
    isConnected: () => lostAtMs === undefined && !connection.isClosed(),
    lostForMs: () => (lostAtMs === undefined ? 0 : performance.now() - lostAtMs),
  };
}

async function loadNats(): Promise<Nats> {
  try {
    const [transport, kv, obj, jetstream] = await Promise.all([
      import('@nats-io/transport-node'),
      import('@nats-io/kv'),
      import('@nats-io/obj'),
      import('@nats-io/jetstream'),
    ]);
    return { ...transport, obj, kv, jetstream };
  } catch (error) {
    throw new BulkheadError(
      'INVALID_OPTIONS',
      'A fleet needs packages that are not installed. To fix this, run: npm i @nats-io/transport-node@~3.3.1 @nats-io/jetstream@~3.3.1 @nats-io/kv@~3.3.1 @nats-io/obj@~3.3.1',
      { option: 'fleet' },
      { cause: error },
    );
  }
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function requireSafe(server: unknown, { allowPlaintext = false }: FleetConnection): void {
  const url = typeof server === 'string' && URL.canParse(server) ? new URL(server) : undefined;
  if (url === undefined || !/^(nats|tls):$/.test(url.protocol)) {
    throw invalid(
      'fleet.servers',
      `takes URLs like "tls://nats.internal:4222", not ${JSON.stringify(server)}`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid('fleet.servers', 'takes no password in a URL. Use nkeyFile or credentialsFile');
  }
  // guard: fleet-tls-required
  if (url.protocol === 'nats:' && !LOOPBACK.test(url.hostname) && !allowPlaintext) {
    throw invalid(
      'fleet.servers',
      `refuses ${url.href}: it is not encrypted. Use tls://${url.host}, or set allowPlaintext if the network is encrypted`,
    );
  }
}

function authenticationOf(
  { nkeyFile, credentialsFile }: FleetConnection,
  nats: Nats,
): Pick<ConnectionOptions, 'authenticator'> {
  if (nkeyFile !== undefined) {
    return {
      authenticator: nats.nkeyAuthenticator(Buffer.from(readSecretFile(nkeyFile).trim(), 'utf8')),
    };
  }
  if (credentialsFile !== undefined) {
    return {
      authenticator: nats.credsAuthenticator(
        // The client reads them only if their last line ends.
        Buffer.from(`${readSecretFile(credentialsFile).trim()}\n`, 'utf8'),
      ),
    };
  }
  return {};
}

function tlsOf({ servers, caFile }: FleetConnection): Pick<ConnectionOptions, 'tls'> {
  const isTls = servers.some((server) => server.startsWith('tls:'));
  if (!isTls && caFile === undefined) return {};
  return { tls: caFile === undefined ? {} : { caFile } };
}

function invalid(option: string, what: string): BulkheadError<'INVALID_OPTIONS'> {
  return new BulkheadError('INVALID_OPTIONS', `The option ${option} ${what}.`, { option });
}
