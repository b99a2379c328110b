import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Engine, EngineOptions } from '../../src/index.js';
import { makeDirectory, startEngine } from './plugin-on-disk.js';

export interface ServerSpec {
  /** The package's name. Default: `sample`. */
  readonly name?: string;
  /** The program, as an ES module. */
  readonly program: string;
  /** Further keys of `package.json`. */
  readonly manifest?: object;
  /** Packages of this repository's node_modules that the program imports. */
  readonly packages?: readonly string[];
  /** Further files, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Writes an MCP server to disk; returns its directory. */
export function makeServer(spec: ServerSpec, directory: string = makeDirectory()): string {
  const { name = 'sample', manifest, packages = [], files } = spec;
  const all: Readonly<Record<string, string>> = {
    'package.json': JSON.stringify({
      name,
      version: '1.0.0',
      type: 'module',
      bin: 'server.js',
      mcpName: `io.example/${name}`,
      ...manifest,
    }),
    'server.js': spec.program,
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  for (const one of packages) {
    cpSync(join('node_modules', one), join(directory, 'node_modules', one), {
      recursive: true,
      // Neither types nor source maps, which are most of a package.
      filter: (path) => !/\.(?:d\.[cm]?ts|map|ts|md)$/.test(path),
    });
  }
  return directory;
}

export function startServer(
  spec: ServerSpec,
  options: Partial<EngineOptions> = {},
): Promise<Engine> {
  return startEngine([makeServer(spec)], { tolerance: 'full', ...options });
}

/**
 * A server without an SDK, that answers by hand. `tools`: the body of `(name, arguments, message) => result`.
 * In it, `send` writes a message, and `listed` is the list of tools.
 */
export function plainProgram(call: string, before = ''): string {
  return `
import process from 'node:process';
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
let listed = [{ name: 'run', inputSchema: { type: 'object' } }];
const call = async (name, args, message) => { ${call} };
let rest = '';
${before}
process.stdin.setEncoding('utf8');
process.stdin.on('data', async (chunk) => {
  rest += chunk;
  const lines = rest.split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const message = JSON.parse(line);
    const { id, method, params } = message;
    if (method === 'initialize') {
      send({ id, result: { protocolVersion: params.protocolVersion, serverInfo: { name: 's', version: '1' },
        capabilities: { tools: {}, resources: {}, prompts: {} } } });
    } else if (method === 'tools/list') send({ id, result: { tools: listed } });
    else if (method === 'tools/call') {
      try { const result = await call(params.name, params.arguments, message);
        if (result !== undefined) send({ id, result });
      } catch (error) { send({ id, error: { code: -32000, message: error.message } }); }
    } else if (id !== undefined && method !== undefined) send({ id, error: { code: -32601, message: method } });
  }
});
`;
}
