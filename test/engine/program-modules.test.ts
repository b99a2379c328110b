/** What programs find of Node beside its modules for other plugins. */
import { describe, expect, it } from 'vitest';
import { plainProgram, startServer } from './mcp-on-disk.js';

async function run(call: string, before = '', files: Readonly<Record<string, string>> = {}) {
  const engine = await startServer({
    name: 'program',
    program: plainProgram(call, before),
    manifest: { dependencies: { pino: '1', paged: '1', plain: '1' } },
    files,
  });
  const { content } = await engine.call('program:run', {});
  return { answer: content[0]?.text ?? '', engine };
}

describe('a program', () => {
  it('writes to its standard streams by their numbers, and to no other file', async () => {
    const before = `import fs from 'node:fs';
      const later = new Promise((done) => fs.write(2, Buffer.from('-later-'), 1, 5, (error, count) => done([error, count])));
      const tried = (fd) => { try { return fs.writeSync(fd, 'x'); } catch (error) { return error.code; } };`;
    const call = `return text(JSON.stringify([fs.writeSync(2, 'é\\n'), await later, tried(3), tried('2')]));`;
    const { answer } = await run(call, before);
    expect(JSON.parse(answer)).toEqual([3, [null, 5], 'FILESYSTEM_DENIED', 'FILESYSTEM_DENIED']);
  });

  it('may ask for certificates, which it never needs', async () => {
    const before = "import tls from 'node:tls';";
    const call =
      "return text(JSON.stringify([tls.getCACertificates('default'), tls.getCiphers()]));";
    expect((await run(call, before)).answer).toBe('[[],[]]');
  });

  it('finds its variables by the older name of the global object', async () => {
    const call = 'return text(typeof global.process.env + String(global.process.env.ABSENT));';
    expect((await run(call)).answer).toBe('objectundefined');
  });

  it('finds the timers of Node on the global object', async () => {
    const call = `const set = globalThis.setImmediate.bind(globalThis);
      const value = await new Promise((done) => set(done, 'ran'));
      return text(value + typeof global.clearImmediate);`;
    expect((await run(call)).answer).toBe('ranfunction');
  });

  it('uses the files for Node of packages that need a page, or standard streams, elsewhere', async () => {
    const both = (name: string, browser: string): Readonly<Record<string, string>> => ({
      'package.json': JSON.stringify({ name, main: 'node.js', browser: 'browser.js' }),
      'node.js': "module.exports = () => 'node';",
      'browser.js': browser,
    });
    const packages = {
      pino: both('pino', "module.exports = () => 'browser';"),
      paged: both('paged', 'module.exports = () => window.crypto.subtle;'),
      plain: both(
        'plain',
        "module.exports = () => typeof window === 'object' ? window.x : 'browser';",
      ),
    };
    const files = Object.entries(packages).flatMap(([name, all]) =>
      Object.entries(all).map(([file, text]) => [`node_modules/${name}/${file}`, text]),
    );
    const before = "import pino from 'pino'; import paged from 'paged'; import plain from 'plain';";
    const call = 'return text([pino(), paged(), plain()].join());';
    const { answer } = await run(call, before, Object.fromEntries(files));
    expect(answer).toBe('node,node,browser');
  });
});
