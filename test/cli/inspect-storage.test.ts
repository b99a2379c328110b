import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/index.js';
import { makeServer, plainProgram } from '../engine/mcp-on-disk.js';
import { makeDirectory } from '../engine/plugin-on-disk.js';
import { run } from './in-process.js';

/** Makes the program a new one: what a known program lists is not asked again. */
const RUN = randomUUID();

/** A server that logs each start in its home, by a package, and says how many there were. */
const LOGS = {
  program: `import { starts } from 'logger'; const count = starts();
${plainProgram(`return text(count + ' ${RUN}');`, `listed[0].description = 'Start ' + count + '.';`)}`,
  manifest: { dependencies: { logger: '1' } },
  files: {
    'node_modules/logger/index.js': `const fs = require('fs'); const path = require('path'); const os = require('os');
const directory = path.join(os.homedir(), '.logs');
exports.starts = () => {
  if (!fs.existsSync(directory)) fs.mkdirSync(directory, { recursive: true });
  fs.appendFileSync(path.join(directory, 'starts.log'), 'x');
  return fs.readFileSync(path.join(directory, 'starts.log'), 'utf8').length;
};`,
  },
};

describe('a server that stores a file at its start', () => {
  it.each([
    ['one-bundle', 'together' as const],
    ['separate', 'separate' as const],
  ])('is reviewed with an empty storage, of which nothing stays: %s', async (name, packages) => {
    const directory = makeServer({ ...LOGS, name });
    const grant = { time: true, random: true, fs: true, storage: true };
    const separate = { grant: { 'node_modules/logger': grant } };
    await using engine = await createEngine({
      plugins: [directory],
      grant: 'declared',
      // The other way, because what it lists is remembered.
      packages: { [name]: packages === 'separate' ? 'together' : separate },
      approve: () => Promise.resolve('once'),
    });
    const starts = async (): Promise<number> => {
      const { content } = await engine.call(`${name}:run`, {});
      return Number(content[0]?.text?.split(' ')[0]);
    };
    // It started to list its tools, and perhaps again for the call.
    const before = await starts();
    expect(before).toBeGreaterThanOrEqual(1);
    const cwd = makeDirectory();
    const add = ['add', directory, '--yes', '--json', '--packages', packages];
    const { stdout } = await run(add, { cwd });
    expect(stdout).toContain('Start 1.');
    expect(stdout).not.toContain(`Start ${before + 1}.`);
    expect(await starts()).toBe(before);
  });
});
