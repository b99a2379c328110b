// The floor: echoes JSON lines over a pipe. No sandbox, no validation, no record.
import { Socket } from 'node:net';

const pipe = new Socket({ fd: 3, readable: true, writable: true });
let rest = '';
pipe.setEncoding('utf8');
pipe.on('data', (text) => {
  const lines = (rest + text).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    const { id, input } = JSON.parse(line);
    const { city, s } = input;
    pipe.write(`${JSON.stringify({ id, value: { ok: true, len: s ? s.length : 0, city } })}\n`);
  }
});
pipe.on('close', () => process.exit(0));
