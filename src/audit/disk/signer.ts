import { spawn } from 'node:child_process';
import { BulkheadError } from '../../errors.js';
import { readPublicKeys, readSigningKey, requireKeyOutside } from '../../keys/key-file.js';
import type { PublicKey } from '../../keys/signing-key.js';
import type { Signer } from '../checkpoint.js';

/** Longest time for a signing command, in milliseconds. */
const COMMAND_MS = 10_000;

/** An Ed25519 signature in base64 has 88 characters; more output is not a signature. */
const MAX_OUTPUT_CHARACTERS = 1_000;

/**
 * Signs with the private key in a file of mode 0600. Throws `INVALID_KEY`, also if the file is in
 * `directory`, the directory of the log.
 */
export function makeKeySigner(file: string, directory: string | undefined): Signer {
  if (directory !== undefined) requireKeyOutside(file, directory);
  const key = readSigningKey(file);
  return { publicKey: key.publicKey, sign: (text) => Promise.resolve(key.sign(text)) };
}

/**
 * Signs with a command: it reads the text on standard input, and prints the signature in base64. Each
 * signature is verified with the first key of `publicKeyFile`. Throws `INVALID_KEY`.
 */
export function makeCommandSigner(command: readonly string[], publicKeyFile: string): Signer {
  const [publicKey] = readPublicKeys(publicKeyFile);
  const [program, ...args] = command;
  if (publicKey === undefined || program === undefined || program === '') {
    throw new BulkheadError(
      'INVALID_OPTIONS',
      'The option audit.signCommand is empty. Name a program and its arguments, e.g. ["sign-with-hsm", "--key", "audit"].',
      { option: 'audit.signCommand' },
    );
  }
  return {
    publicKey,
    sign: async (text) => {
      const signature = Buffer.from((await run(program, args, text)).trim(), 'base64');
      // guard: command-signature-verified
      if (!publicKey.verify(text, signature)) throw wrongSignature(program, publicKey);
      return signature;
    },
  };
}

function wrongSignature(program: string, { id }: PublicKey): Error {
  return new Error(`${program} printed a text that is not a signature of the key ${id} in base64`);
}

function run(program: string, args: readonly string[], input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'], timeout: COMMAND_MS });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.length > MAX_OUTPUT_CHARACTERS) child.kill();
    });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${program} ended with ${signal ?? `status ${code ?? '?'}`}`));
    });
    // The program may end without reading.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
