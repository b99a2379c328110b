import { describe, expect, it } from 'vitest';
import { collectSecret } from '../../src/cli/secrets.js';
import { NO_PERMISSIONS } from '../../src/permissions/permissions.js';
import { runFake } from './fake.js';

const declaring = (env: readonly string[]) =>
  ({ id: 'sample', entries: [{ declared: { env } }] }) as never;

describe('--secret', () => {
  it.each([
    ['KEY=api.test', { hosts: ['api.test'], in: ['header', 'query'] }],
    ['KEY=a.test,*.b.test:8443', { hosts: ['a.test', '*.b.test:8443'], in: ['header', 'query'] }],
    ['KEY=query:app=id@api.test', { hosts: ['api.test'], in: ['query:app=id'] }],
    ['KEY=header:x-key,body@api.test', { hosts: ['api.test'], in: ['header:x-key', 'body'] }],
  ])('reads %s', (text, binding) => {
    expect(collectSecret(text)).toEqual({ KEY: binding });
  });

  it.each(['KEY', 'KEY=', '=api.test', 'KEY=path@api.test', 'KEY=@api.test', 'KEY=header@'])(
    'refuses %s',
    (text) => {
      expect(() => collectSecret(text)).toThrow(
        expect.objectContaining({ code: 'INVALID_OPTIONS' }),
      );
    },
  );

  it('takes several variables, and each once', () => {
    const one = collectSecret('A=a.test');
    expect(Object.keys(collectSecret('B=b.test', one))).toEqual(['A', 'B']);
    expect(() => collectSecret('A=b.test', one)).toThrow(/twice/);
  });

  it('is passed to the engine unchanged, so that a misspelt name is reported', async () => {
    const { created } = await runFake(['call', 'dir', 'echo', '--secret', 'KEY=api.test']);
    const secrets = created[0]?.secrets;
    if (typeof secrets !== 'function') throw new Error('expected a function');
    expect(Object.keys(secrets(declaring([])))).toEqual(['KEY']);
  });

  it.each([
    ['batch', ['batch', '--secret', 'KEY=api.test'], '{"plugin":"a","tool":"echo"}\n'],
    ['tools', ['tools', 'a', 'b', '--secret', 'KEY=api.test'], ''],
  ])('of bulkhead %s goes to the plugins that declare it', async (_command, argv, stdin) => {
    const { created } = await runFake(argv, { stdin });
    const secrets = created[0]?.secrets;
    if (typeof secrets !== 'function') throw new Error('expected a function');
    expect(Object.keys(secrets(declaring(['KEY', 'B'])))).toEqual(['KEY']);
    expect(Object.keys(secrets(declaring(['B'])))).toEqual([]);
  });

  it('is said aloud by bulkhead inspect, apart from what is handed over', async () => {
    const declared = { ...NO_PERMISSIONS, env: ['KEY', 'CITY'] };
    const entry = {
      key: 'tools',
      surface: 'tools',
      file: 'index.ts',
      confinement: 'compartment',
      declared,
      effective: declared,
      secrets: [{ name: 'KEY', hosts: ['api.test'], in: ['query'] }],
    } as const;
    const { stdout } = await runFake(['inspect', 'a'], { status: { entries: [entry] } });
    expect(stdout.text).toContain(
      '- Have KEY put into requests to api.test (query), without seeing it.',
    );
    expect(stdout.text).toContain('Read the environment variable CITY.');
    expect(stdout.text).not.toContain('Read the environment variable KEY.');
  });
});
