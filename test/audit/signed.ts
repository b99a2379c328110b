import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeKeySigner } from '../../src/audit/disk/signer.js';
import { type AnchorSender, makeAnchorSender } from '../../src/audit/disk/anchor-targets.js';
import type { Signer } from '../../src/audit/checkpoint.js';
import { makeJsonlStore } from '../../src/audit/disk/jsonl-store.js';
import type { AuditRecord } from '../../src/audit/record.js';
import type { AuditLogSpec } from '../../src/audit/log.js';
import { makeSigningKey } from '../../src/keys/signing-key.js';
import { callEvents, freshDirectory, openLog } from './logs.js';

/** A signed log with an anchor file, and the paths of both. */
export interface SignedLog {
  readonly path: string;
  readonly anchorFile: string;
  readonly signer: Signer;
  readonly anchors: readonly AnchorSender[];
  /** Opens the log, writes calls, and closes it. */
  write(calls: number, spec?: Partial<AuditLogSpec>): Promise<void>;
  lines(): string[];
  replace(lines: readonly string[]): void;
}

export function newSigner(directory: string): Signer {
  const file = join(directory, 'sign.pem');
  mkdirSync(directory, { recursive: true });
  writeFileSync(file, makeSigningKey().privatePem);
  chmodSync(file, 0o600);
  return makeKeySigner(file, undefined);
}

export async function signedLog(calls: number): Promise<SignedLog> {
  const directory = freshDirectory();
  const path = join(directory, 'log', 'audit.jsonl');
  const anchorFile = join(directory, 'elsewhere', 'anchors.txt');
  const signer = newSigner(join(directory, 'keys'));
  const anchors = [makeAnchorSender({ file: anchorFile })];
  const log: SignedLog = {
    path,
    anchorFile,
    signer,
    anchors,
    write: async (count, spec = {}) => {
      const open = await openLog(makeJsonlStore(path), {
        signer,
        anchors,
        checkpointEvery: 5,
        ...spec,
      });
      for (let call = 0; call < count; call += 1) {
        for (const event of callEvents(String(call))) open.listener(event);
        await open.flush();
      }
      await open.close();
    },
    lines: () => readFileSync(path, 'utf8').trimEnd().split('\n'),
    replace: (lines) => writeFileSync(path, lines.length === 0 ? '' : `${lines.join('\n')}\n`),
  };
  await log.write(calls);
  return log;
}

export function parseLine(line: string | undefined): AuditRecord {
  return JSON.parse(line ?? '') as AuditRecord;
}
