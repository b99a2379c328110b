/** The mistakes that authors of Spindle extensions make: what `check` says of them, and what a call says. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeDirectory } from '../engine/plugin-on-disk.js';
import { run } from './in-process.js';

const REGISTERS = `spindle.registerTool({
  name: 'run',
  display_name: 'Run',
  description: 'Runs.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
});
`;
const HANDLES = "spindle.on('TOOL_INVOCATION', async ({ args }) => `in ${args.city}`);\n";

function write(manifest: object, files: Readonly<Record<string, string>>): string {
  const directory = makeDirectory();
  const written = {
    version: '1.0.0',
    name: 'Extension',
    identifier: 'extension',
    author: 'ada',
    github: 'https://github.com/ada/x',
    homepage: 'https://github.com/ada/x',
    permissions: ['tools'],
    ...manifest,
  };
  const all = { 'spindle.json': JSON.stringify(written, undefined, 2), ...files };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return directory;
}

const backend = (text: string): Readonly<Record<string, string>> => ({ 'src/backend.ts': text });

interface Mistake {
  readonly about: string;
  readonly manifest?: object;
  readonly files: Readonly<Record<string, string>>;
  /** What `check` says: its message, its fix and its place. */
  readonly check?: readonly [message: string, fix: string, at: string];
  /** What a call of the tool says, in the same order. */
  readonly call?: readonly [message: string, fix: string, at?: string];
}

const mistakes: readonly Mistake[] = [
  {
    about: 'no backend',
    files: {},
    check: ['has no backend', 'name another one in spindle.json', 'spindle.json:1:1'],
    call: ['extension has no tools', 'See bulkhead check'],
  },
  {
    about: 'a tool without the permission to offer it',
    manifest: { permissions: [] },
    files: backend(REGISTERS + HANDLES),
    check: [
      'spindle.registerTool needs the permission tools,',
      'Add "tools" to "permissions" in spindle.json.',
      'src/backend.ts:1:1',
    ],
    call: ['extension has no tools', 'See bulkhead check'],
  },
  {
    about: 'a permission in the words of another system',
    manifest: { permissions: ['tools', 'network'] },
    files: backend(REGISTERS + HANDLES),
    check: [
      '"network" is not a permission of Spindle. Did you mean "cors_proxy"?',
      '',
      'spindle.json:8:3',
    ],
  },
  {
    about: 'a request without the permission',
    files: backend(
      `${REGISTERS}spindle.on('TOOL_INVOCATION', async () => (await spindle.cors('https://x.example/')).body);`,
    ),
    check: [
      'spindle.cors needs the permission cors_proxy,',
      'Add "cors_proxy" to "permissions" in spindle.json.',
      'src/backend.ts:7:',
    ],
    call: [
      'PERMISSION_DENIED: cors_proxy — ',
      'Add "cors_proxy" to "permissions" in spindle.json, and grant it.',
      'src/backend.ts:7:',
    ],
  },
  {
    about: 'no handler of the event',
    files: backend(REGISTERS + HANDLES.replace('TOOL_INVOCATION', 'TOOL_INVOKED')),
    check: [
      'tool "run": nothing handles the event TOOL_INVOCATION, so its calls fail.',
      "Write: spindle.on('TOOL_INVOCATION', (call) => …).",
      'src/backend.ts:2:',
    ],
    call: ['No TOOL_INVOCATION handler', "Write: spindle.on('TOOL_INVOCATION'", 'src/backend.ts:'],
  },
  {
    about: 'inputSchema for parameters',
    files: backend(REGISTERS.replace('parameters:', 'inputSchema:') + HANDLES),
    check: ['"inputSchema" is not read.', 'Did you mean "parameters"?', 'src/backend.ts:5:3'],
  },
  {
    about: 'a schema that requires what it does not have',
    files: backend(
      REGISTERS.replace("['city']", "['town', 5]").replace(
        '} }, r',
        '} }, additionalProperties: false, r',
      ) + HANDLES,
    ),
    check: ['#/required "town" is not a property, so no input fits.', '', 'src/backend.ts:5:'],
  },
  {
    about: 'a function with a letter too many',
    files: backend(REGISTERS.replace('registerTool', 'registerTools') + HANDLES),
    check: [
      'spindle.registerTools does not exist here.',
      'Did you mean spindle.registerTool?',
      'src/backend.ts:1:',
    ],
    call: [
      'spindle.registerTools does not exist here. Did you mean spindle.registerTool?',
      'top-level code',
      'src/backend.ts:1:',
    ],
  },
  {
    about: 'a stored value that JSON does not have',
    files: backend(`${REGISTERS}await spindle.storage.setJson('a', { b: 1n });\n${HANDLES}`),
    check: ['The value of setJson contains a BigInt at b, which JSON does not have', '', ''],
  },
  {
    about: 'a loop',
    files: backend(REGISTERS + HANDLES.replace('`in ${args.city}`', '{ for (;;); }')),
    call: ['It was computing at that time', 'Raise the deadline', 'src/backend.ts:'],
  },
];

interface Told {
  readonly message: string;
  readonly fix?: string;
  readonly at?: { readonly file: string; readonly line: number; readonly column: number };
}

describe('a mistake of an author of a Spindle extension', () => {
  it.each(mistakes)('is reported with its cause, place and fix: $about', async (mistake) => {
    const { manifest = {}, files, check, call } = mistake;
    const directory = write(manifest, files);
    const checked = await run(['check', directory, '--json']);
    if (check === undefined) expect(checked.code).toBe(0);
    else {
      const [message, fix, at] = check;
      const { stdout } = checked;
      const { findings }: { findings: readonly Record<string, unknown>[] } = JSON.parse(stdout);
      const found = findings.map(({ message: what, fix: how = '', file, line, column }) => ({
        what,
        how,
        at: `${String(file)}:${String(line)}:${String(column)}`,
      }));
      expect(found).toContainEqual({
        what: expect.stringContaining(message),
        how: fix === '' ? expect.anything() : expect.stringContaining(fix),
        at: expect.stringContaining(at),
      });
    }
    if (call === undefined) return;
    const [message, fix, at] = call;
    const { stdout } = await run([
      'call',
      directory,
      'run',
      '--input',
      '{"city":"Oslo"}',
      '--timeout',
      '700',
      '--json',
    ]);
    const { error }: { readonly error: Told } = JSON.parse(stdout);
    expect(error.message).toContain(message);
    expect(error.fix).toContain(fix);
    if (at !== undefined) expect(`${error.at?.file}:${error.at?.line}:`).toContain(at);
  });

  it('in what a handler returns or throws is in the log', async () => {
    const of = (body: string) =>
      write({}, backend(REGISTERS + HANDLES.replace('`in ${args.city}`', body)));
    const input = ['run', '--input', '{"city":"Oslo"}'];
    const object = await run(['call', of('({ a: 1 })'), ...input]);
    expect(object.stdout).toBe('[object Object]\n');
    expect(object.stderr).toContain('the result of run is an object');
    const thrown = await run(['call', of("{ throw 'no such city'; }"), ...input]);
    expect(thrown.code).toBe(5);
    expect(thrown.stderr).toContain('its handler threw no such city');
  });
});
