import type { AnchorTarget } from '../audit/disk/anchor-targets.js';
import type { AuditOptions } from '../audit/options.js';
import {
  array,
  number,
  object,
  oneOf,
  optional,
  record,
  type Shape,
  string,
} from '../schema/shape.js';

/** A log by its file, or with options. */
export type ConfiguredAudit = Omit<AuditOptions, 'store' | 'exceptions'> & {
  readonly file: string;
};

const anchor: Shape<AnchorTarget> = {
  read: (value, at, problems) => {
    const shapes: readonly Shape<AnchorTarget>[] = [
      object({ file: string() }, 'refuse'),
      object({ url: string(), headers: optional(record(string())) }, 'refuse'),
      object({ syslog: string() }, 'refuse'),
    ];
    for (const one of shapes) {
      const read = one.read(value, at, []);
      if (read !== undefined) return read;
    }
    problems.push(
      `${at}: must be one of {"file": …}, {"url": …, "headers": {…}} and {"syslog": "syslog://HOST:PORT"}`,
    );
    return undefined;
  },
};

export const auditShape: Shape<ConfiguredAudit> = {
  read: (value, at, problems) =>
    typeof value === 'string'
      ? { value: { file: value } }
      : object(
          {
            file: string(),
            inputs: optional(oneOf('none', 'digest', 'full')),
            redact: optional(array(string())),
            sync: optional(oneOf('always', 'second', 'never')),
            maxFileBytes: optional(number),
            keepFiles: optional(number),
            signKey: optional(string()),
            signCommand: optional(array(string())),
            publicKey: optional(string()),
            checkpointEvery: optional(number),
            anchors: optional(array(anchor)),
          },
          'refuse',
        ).read(value, at, problems),
};
