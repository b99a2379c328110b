import type { Command } from 'commander';
import { join } from 'node:path';
import { changeTrust } from '../engine/trust-file.js';
import { readPublicKeys } from '../keys/key-file.js';
import { isArtifactHash, isKeyId, type Trust } from '../lock/trust.js';
import { describeKey, createKey, type KeyInfo, type KeyKind, rotateKey } from '../keys/new-keys.js';
import { makeToken } from '../keys/identity-key.js';
import { visible } from '../visible.js';
import type { RunCommand } from './call.js';
import type { CliCapabilities } from './capabilities.js';
import { configDirectoryOf, TRUST_PLACE, trustFileOf } from './engine-options.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { usageError } from './failure.js';
import { print } from './output.js';

interface KeySettings {
  readonly out?: string;
  readonly json?: boolean;
}

const KINDS: readonly KeyKind[] = ['sign', 'token', 'identity'];

const NAMES: Readonly<Record<KeyKind, string>> = {
  sign: 'sign.pem',
  token: 'token',
  identity: 'identity.json',
};

/** The commands that create, replace and show keys. */
export function addKeys(program: Command, run: RunCommand): void {
  const keys = program.command('keys').description('create, replace and show keys and tokens');
  keys
    .command('new')
    .description('create a key in a new file of mode 0600; a token is printed without --out')
    .argument(
      '<kind>',
      'sign (packs and audit logs), token (operator) or identity (remote servers)',
    )
    .option(
      '--out <FILE>',
      'the file to create (default: bulkhead/keys/ in your configuration directory)',
    )
    .option('--json', 'print one line of JSON')
    .action((kind: string, settings: KeySettings) =>
      run((capabilities) => runNew(kind, settings, capabilities)),
    );
  keys
    .command('rotate')
    .description('replace a key or token by a new one; old public keys still verify')
    .argument('<file>', 'file of the private key, identity or token')
    .option('--json', 'print one line of JSON')
    .action((file: string, settings: KeySettings) =>
      run((capabilities) => printKey('rotated', rotateKey(file), settings, capabilities)),
    );
  addTrustRule(keys, run, {
    name: 'require',
    description: 'require a signature of a key for each locked plugin, or for one',
    argument: ['<file>', 'file of public keys'],
    change: (file, { plugin = '*' }) => {
      const pems = readPublicKeys(file).map(({ pem }) => pem);
      return (trust) => {
        const before = trust.requiredKeys?.[plugin] ?? [];
        const requiredKeys = {
          ...trust.requiredKeys,
          [plugin]: [...new Set([...before, ...pems])],
        };
        return { ...trust, requiredKeys };
      };
    },
    done: (file, { plugin }) => `${plugin ?? 'each locked plugin'} needs a signature of ${file}`,
  }).option('--plugin <ID>', 'only for this plugin (default: each plugin without keys of its own)');
  addTrustRule(keys, run, {
    name: 'revoke',
    description: 'revoke a signing key or an artifact: its plugins do not load or roll back',
    argument: ['<id>', 'id of a key (ed25519-…) or hash of an artifact (sha512-…)'],
    change: (id) => {
      if (isKeyId(id)) {
        return (trust) => ({ ...trust, revokedKeys: [...(trust.revokedKeys ?? []), id] });
      }
      if (isArtifactHash(id)) {
        return (trust) => ({ ...trust, revokedArtifacts: [...(trust.revokedArtifacts ?? []), id] });
      }
      throw usageError(
        'id',
        `${id} is not the id of a key (ed25519-…) or of an artifact (sha512-…)`,
      );
    },
    done: (id) => `revoked ${id}`,
  });
  keys
    .command('show')
    .description('show the kind and id of a key; never the secret')
    .argument('<file>', 'file of a private or public key')
    .option('--json', 'print one line of JSON')
    .action((file: string, settings: KeySettings) =>
      run((capabilities) => printKey('is', describeKey(file), settings, capabilities)),
    );
}

interface TrustSettings {
  readonly trust?: string;
  readonly plugin?: string;
  readonly json?: boolean;
}

interface TrustRule {
  readonly name: string;
  readonly description: string;
  readonly argument: readonly [name: string, description: string];
  readonly change: (text: string, settings: TrustSettings) => (trust: Trust) => Trust;
  readonly done: (text: string, settings: TrustSettings) => string;
}

/** A command that changes the trust file. */
function addTrustRule(keys: Command, run: RunCommand, rule: TrustRule): Command {
  const { name, description, argument, change, done } = rule;
  return keys
    .command(name)
    .description(description)
    .argument(...argument)
    .option('--trust <FILE>', `the file to change (${TRUST_PLACE})`)
    .option('--json', 'print one line of JSON')
    .action((text: string, settings: TrustSettings) =>
      run(async (capabilities) => {
        const file = trustFileOf(settings, capabilities);
        if (file === undefined) {
          throw usageError(
            '--trust',
            'there is no home directory; name the file with --trust FILE',
          );
        }
        const trust = changeTrust(file, change(text, settings));
        const line = `${visible(done(text, settings))} (${visible(file)})\n`;
        await print(settings, capabilities, { ok: true, file, trust }, line);
        return EXIT.ok;
      }),
    );
}

async function runNew(
  text: string,
  settings: KeySettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const kind = KINDS.find((one) => one === text);
  if (kind === undefined) {
    throw usageError('kind', `${text} is not a kind of key; use ${KINDS.join(', ')}`);
  }
  if (kind === 'token' && settings.out === undefined) {
    const token = makeToken();
    await print(settings, capabilities, { ok: true, kind, token }, `${token}\n`);
    return EXIT.ok;
  }
  const file = settings.out ?? defaultFileOf(kind, capabilities);
  return printKey('created', createKey(kind, file), settings, capabilities);
}

/** Outside any project, so that no key is committed by accident. */
function defaultFileOf(kind: KeyKind, capabilities: CliCapabilities): string {
  const directory = configDirectoryOf(capabilities);
  if (directory === undefined) {
    throw usageError('--out', 'there is no home directory; name the file with --out FILE');
  }
  return join(directory, 'keys', NAMES[kind]);
}

async function printKey(
  verb: 'created' | 'rotated' | 'is',
  info: KeyInfo,
  settings: KeySettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const { kind, file, id, publicFile, retired = [] } = info;
  const lines = [
    verb === 'is' ? `${visible(file)} is a key of the kind ${kind}` : `${verb} ${visible(file)}`,
    ...(id === undefined ? [] : [`  id       ${id}`]),
    ...(publicFile === undefined ? [] : [`  public   ${visible(publicFile)}`]),
    ...retired.map((one) => `  retired  ${one}`),
  ];
  await print(settings, capabilities, { ok: true, ...info }, `${lines.join('\n')}\n`);
  return EXIT.ok;
}
