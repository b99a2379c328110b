/**
 * The program of a thread that inspects the guest's main thread. It passes the messages of the Chrome DevTools
 * Protocol between V8 and descriptor 4, whose other end is the host's: each is a line of JSON. An empty line ends the
 * session of one debugger, so that nothing stays paused, and begins that of the next.
 */
import { Session } from 'node:inspector';
import { Socket } from 'node:net';

const RELAY_DESCRIPTOR = 4;

interface Message {
  readonly id: number;
  readonly method: string;
  readonly params?: object;
}

const socket = new Socket({ fd: RELAY_DESCRIPTOR, readable: true, writable: true });
const send = (message: object): void => void socket.write(`${JSON.stringify(message)}\n`);

const open = (): Session => {
  const session = new Session();
  session.connectToMainThread();
  session.on('inspectorNotification', send);
  return session;
};

let session = open();
let begun = '';
socket.setEncoding('utf8');
socket.on('data', (text: string) => {
  const lines = (begun + text).split('\n');
  begun = lines.pop() ?? '';
  for (const line of lines) {
    if (line === '') {
      session.disconnect();
      session = open();
    } else pass(JSON.parse(line));
  }
});
socket.on('error', () => {});
socket.on('close', () => session.disconnect());

function pass({ id, method, params }: Message): void {
  // The only worker of a guest is this thread. A debugger that attached to it would inspect, and pause, its own line
  // to the guest: Node ends with a segmentation fault then.
  if (method.startsWith('NodeWorker.')) {
    send({ id, error: { code: -32_601, message: `'${method}' is not available` } });
    return;
  }
  session.post(method, params, (error, result) =>
    send(error === null ? { id, result } : { id, error }),
  );
}
