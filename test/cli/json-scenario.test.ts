import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isRecord } from '../../sandbox/wire/json.js';
import { makeDirectory } from '../engine/plugin-on-disk.js';
import { run } from './in-process.js';
import { FILES, STEPS } from './json-scenario.js';
import { outputErrors } from './output-schema.js';

describe('--json, command after command', () => {
  let cwd: string | undefined;
  let call = '';

  const put = (directory: string, files: Readonly<Record<string, string>>): void => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
  };

  it.each(STEPS)('prints what docs/cli-output.schema.json says: $output, $args', async (step) => {
    const { output, args, stdin, files = {} } = step;
    if (cwd === undefined) {
      cwd = makeDirectory();
      put(cwd, FILES);
    }
    put(cwd, files);
    const words = args.map((word) => (word === 'CALL' ? call : word));
    const { stdout, code } = await run([...words, '--json'], {
      cwd,
      home: join(cwd, 'home'),
      ...(stdin === undefined ? {} : { stdin }),
    });
    const lines: readonly unknown[] = stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(lines.length).toBeGreaterThan(0);
    for (const printed of lines) {
      // A line of a batch that fails does not end the others.
      const isFailure = output === 'batch' && isRecord(printed) && printed['ok'] === false;
      const errors = outputErrors(isFailure ? 'failure' : output, printed);
      expect({ errors, printed, code }).toEqual({ errors: [], printed, code });
      if (isRecord(printed) && typeof printed['call'] === 'string') call = printed['call'];
    }
  });
});
