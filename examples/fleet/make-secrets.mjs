// Creates what a fleet of one gateway and two runners needs to trust one another, in the directory `secrets`:
// NKeys of the users of NATS, the key that signs calls, and the server's certificate. It prints the
// environment of the containers. It fails, and changes nothing, if the directory exists.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nkeys } from '@nats-io/transport-node';

const directory = 'secrets';
mkdirSync(directory, { mode: 0o700 });

for (const name of ['gateway-1', 'runner-0', 'runner-1']) {
  const user = nkeys.createUser();
  writeFileSync(join(directory, `${name}.nk`), user.getSeed(), { mode: 0o600 });
  process.stdout.write(`NKEY_${name.toUpperCase().replace('-', '_')}=${user.getPublicKey()}\n`);
}
process.stdout.write(`BULKHEAD_TOKEN=${randomBytes(32).toString('base64url')}\n`);
process.stdout.write(`BULKHEAD_VIEW_TOKEN=${randomBytes(32).toString('base64url')}\n`);

const run = (command, ...words) =>
  execFileSync(command, words, { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] });
const bulkhead = new URL('dist/lib/cli/main.cjs', import.meta.resolve('bulkhead/package.json'));
run(process.execPath, fileURLToPath(bulkhead), 'keys', 'new', 'sign', '--out', 'gateway.pem');
const certificate =
  'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 365 -keyout nats.key -out nats.crt ' +
  '-subj /CN=nats -addext subjectAltName=DNS:nats,DNS:localhost';
run('openssl', ...certificate.split(' '));
// The gateway and the runners trust this certificate alone.
copyFileSync(join(directory, 'nats.crt'), join(directory, 'ca.crt'));
