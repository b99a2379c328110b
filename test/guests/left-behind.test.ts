import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readProcessorUse } from '../../src/processor.js';
import { ROOT } from '../architecture/sources.js';

const rogue = join(ROOT, 'fixtures/hostile/rogue-guest/main.cjs');

describe('a hostile fixture', () => {
  it.runIf(process.platform === 'linux').each(['closes its pipe', 'its standard error'])(
    'that %s ends with the process that started it, also in a loop',
    async (act) => {
      const stdio = "['ignore', 'ignore', 'ignore', 'pipe']";
      const code = `const guest = require('node:child_process').spawn(process.execPath, ${JSON.stringify([rogue, act])}, { stdio: ${stdio} });
      guest.stdio[3].once('data', () => console.log(guest.pid));`;
      const host = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
      const [line]: unknown[] = await once(host.stdout, 'data');
      const pid = Number(String(line));
      expect(readProcessorUse(pid)).toMatchObject({ stopped: false });
      host.kill('SIGKILL');
      await expect.poll(() => readProcessorUse(pid), { timeout: 15_000 }).toBeUndefined();
    },
  );
});
