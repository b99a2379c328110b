import { describe, expect, it } from 'vitest';
import { collectCredential } from '../../src/cli/secrets.js';
import type { EngineOptions } from '../../src/index.js';
import { runFake } from './fake.js';

const SECRET = 'hunter2-hunter2';

/** What the engine that a command made is told for that key. */
async function told(created: readonly EngineOptions[], key: string): Promise<unknown> {
  const { credentials } = created[0] ?? {};
  if (typeof credentials !== 'function') throw new Error('expected a function');
  return credentials('weather', key);
}

describe('--credential', () => {
  it('names a variable or a file, and hands over what is there', async () => {
    const places = [
      'weather/a=env:KEY_A',
      'weather/b=@/run/b',
      'weather/c=env:NOT_SET',
      'weather/gone=@/run/gone',
    ];
    const { created } = await runFake(
      ['call', 'dir', 'echo', ...places.flatMap((place) => ['--credential', place])],
      { environment: { KEY_A: SECRET }, files: { '/run/b': 'of a file\n' } },
    );
    expect(await told(created, 'a')).toBe(SECRET);
    expect(await told(created, 'b')).toBe('of a file');
    await expect(told(created, 'gone')).rejects.toThrow('--credential cannot read /run/gone');
    expect(await told(created, 'c')).toBeUndefined();
    expect(await told(created, 'd')).toBeUndefined();
    expect(await told(created, '__proto__')).toBeUndefined();
  });

  it.each(['', 'x', '=env:A', 'weather=env:A', 'weather/=env:A', '/key=env:A', 'weather/k'])(
    'refuses %j',
    (text) => {
      expect(() => collectCredential(text)).toThrow('--credential takes');
    },
  );

  it('takes no credential itself, and does not repeat one', async () => {
    const { code, stderr } = await runFake(
      `call dir echo --credential weather/key=${SECRET}`.split(' '),
    );
    expect(code).toBe(1);
    expect(stderr.text).toContain('env:NAME');
    expect(stderr.text).not.toContain(SECRET);
  });

  it('names each once', () => {
    const one = collectCredential('@scope/weather/key=env:A');
    expect(one).toEqual({ '@scope/weather/key': { variable: 'A' } });
    expect(() => collectCredential('@scope/weather/key=env:B', one)).toThrow('twice');
  });
});
