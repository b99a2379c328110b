import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runFake } from './fake.js';

const root = mkdtempSync(join(tmpdir(), 'bulkhead-cli-keys-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('bulkhead keys', () => {
  it('prints a token, and nothing of a token in a file', async () => {
    const printed = await runFake(['keys', 'new', 'token']);
    expect(printed.stdout.text).toMatch(/^[\w-]{43}\n$/);
    const file = join(root, 'token');
    const written = await runFake(['keys', 'new', 'token', '--out', file]);
    expect(written.stdout.text).toBe(`created ${file}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(written.stdout.text).not.toContain(readFileSync(file, 'utf8').trim());
  });

  it('creates a signing key in the configuration directory, and rotates it', async () => {
    const environment = { XDG_CONFIG_HOME: join(root, 'config') };
    const made = await runFake(['keys', 'new', 'sign', '--json'], { environment });
    const { id, file, publicFile } = JSON.parse(made.stdout.text);
    expect(file).toBe(join(root, 'config', 'bulkhead', 'keys', 'sign.pem'));
    expect(id).toMatch(/^ed25519-[0-9a-f]{32}$/);
    const rotated = await runFake(['keys', 'rotate', file]);
    expect(rotated.stdout.text).toContain(`retired  ${id}`);
    const shown = await runFake(['keys', 'show', publicFile, '--json']);
    expect(JSON.parse(shown.stdout.text).retired).toEqual([id]);
  });

  it('names the kinds of keys for another word', async () => {
    const { code, stderr } = await runFake(['keys', 'new', 'rsa']);
    expect(code).toBe(1);
    expect(stderr.text).toContain('use sign, token, identity');
  });

  it('refuses to overwrite a key, with exit code 1', async () => {
    const file = join(root, 'identity.json');
    await runFake(['keys', 'new', 'identity', '--out', file]);
    const { code, stderr } = await runFake(['keys', 'new', 'identity', '--out', file]);
    expect(code).toBe(1);
    expect(stderr.text).toContain('the file exists');
  });
});
