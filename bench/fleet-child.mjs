// The floor of a fleet: answers bare requests of NATS with the input that they have.
import { connect } from '@nats-io/transport-node';

const connection = await connect({ servers: process.argv[2] });
connection.subscribe('bench.echo', {
  queue: 'run',
  callback: (_error, message) => message.respond(JSON.stringify(JSON.parse(message.string()))),
});
await connection.flush();
process.stdout.write('ready\n');
