import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

/** The same bytes with no sandbox: what this machine allows at best. */
export interface Floor {
  readonly pid: number;
  call(input: unknown): Promise<unknown>;
  close(): void;
}

export function startFloor(): Floor {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('floor-child.mjs', import.meta.url))],
    { stdio: ['ignore', 'inherit', 'inherit', 'pipe'] },
  );
  const pipe = child.stdio[3];
  if (!(pipe instanceof Socket)) throw new Error('no pipe');
  const waiting = new Map<number, (value: unknown) => void>();
  let lastId = 0;
  let rest = '';
  pipe.setEncoding('utf8');
  pipe.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { id, value } = JSON.parse(line) as { id: number; value: unknown };
      waiting.get(id)?.(value);
      waiting.delete(id);
    }
  });
  return {
    pid: child.pid ?? 0,
    call: (input) =>
      new Promise((resolve) => {
        lastId += 1;
        waiting.set(lastId, resolve);
        pipe.write(`${JSON.stringify({ id: lastId, input })}\n`);
      }),
    close: () => child.kill(),
  };
}

/** From nothing to the exit of a Node process that does nothing, in milliseconds. */
export function timeEmptyNode(): Promise<number> {
  const began = performance.now();
  return new Promise((resolve) => {
    spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }).on('exit', () =>
      resolve(performance.now() - began),
    );
  });
}
