import { describe, expect, it } from 'vitest';
import { makeMemoryStops } from '../memory-stops.js';
import { runFake } from './fake.js';

describe('bulkhead stop and resume', () => {
  it('stop what they name, list it, and resume it', async () => {
    const stops = makeMemoryStops();
    const run = async (...line: string[]) => {
      const { code, stdout, stderr } = await runFake(line, { stops });
      return { code, out: stdout.text, err: stderr.text };
    };
    expect(await run('stop')).toMatchObject({ code: 0, out: 'nothing is stopped\n' });
    expect((await run('stop', 'notes', '--reason', 'it \u001b[2Jwrites')).out).toContain(
      'stopped the plugin notes',
    );
    expect((await run('stop', '--tenant', 'acme')).code).toBe(0);
    expect((await run('stop', '--everything', '--json')).out).toBe(
      '{"ok":true,"stopped":{"everything":true}}\n',
    );
    const { out } = await run('stop');
    expect(out).toContain('the plugin notes');
    expect(out).toContain(String.raw`it \u001b[2Jwrites`);
    expect((await run('resume', 'notes')).out).toBe('resumed the plugin notes\n');
    expect(await run('resume', 'notes')).toMatchObject({ code: 1 });
    expect(stops.list()).toHaveLength(2);
  });

  it.each([
    [['resume'], 'name what to resume'],
    [['stop', '--reason', 'x'], 'name what to stop'],
    [['stop', 'notes', '--everything'], 'not several of them'],
  ])('refuse %j', async (line, message) => {
    const { code, stderr } = await runFake(line, { stops: makeMemoryStops() });
    expect(code).toBe(1);
    expect(stderr.text).toContain(message);
  });
});
