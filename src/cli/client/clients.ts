import { join } from 'node:path';
import type { CliCapabilities } from '../capabilities.js';
import { usageError } from '../failure.js';

/** An MCP client, and the file in which its user's servers are. */
export interface Client {
  readonly title: string;
  readonly file: string;
  /** The key of the servers in the file. */
  readonly key: 'mcpServers' | 'servers';
  /** Whether an entry names its transport. */
  readonly hasType: boolean;
  /** Whether the file also has servers of single projects. Default: false. */
  readonly hasProjects?: true;
  /** What the user does next. */
  readonly next: string;
}

type Machine = Pick<CliCapabilities, 'environment' | 'machine'>;

/** Sources: the clients' own documents, as of 2026-11. */
const clients: Readonly<Record<string, (machine: Machine) => Client>> = {
  'claude-desktop': (machine) => ({
    title: 'Claude Desktop',
    file: join(applicationData(machine), 'Claude', 'claude_desktop_config.json'),
    key: 'mcpServers',
    hasType: false,
    next: 'Quit Claude Desktop and start it again.',
  }),
  'claude-code': (machine) => ({
    title: 'Claude Code',
    file: join(homeOf(machine), '.claude.json'),
    key: 'mcpServers',
    hasType: true,
    hasProjects: true,
    next: 'Start Claude Code again; `/mcp` lists its servers.',
  }),
  cursor: (machine) => ({
    title: 'Cursor',
    file: join(homeOf(machine), '.cursor', 'mcp.json'),
    key: 'mcpServers',
    hasType: false,
    next: 'Switch the server on in Cursor’s settings, under MCP.',
  }),
  vscode: (machine) => ({
    title: 'VS Code',
    file: join(applicationData(machine), 'Code', 'User', 'mcp.json'),
    key: 'servers',
    hasType: true,
    next: 'Run “MCP: List Servers” in VS Code, and start the server.',
  }),
};

export const CLIENTS: readonly string[] = Object.keys(clients);

/** Throws `INVALID_OPTIONS`. */
export function clientNamed(option: string, name: string, machine: Machine): Client {
  const client = Object.hasOwn(clients, name) ? clients[name] : undefined;
  if (client !== undefined) return client(machine);
  throw usageError(option, `${option} takes one of ${CLIENTS.join(', ')}`);
}

/** A configuration of MCP servers at a path. `text`: its content. */
export function clientOfFile(file: string, text: string): Client {
  // VS Code is the only client with this key.
  const isVsCode = !text.includes('"mcpServers"') && text.includes('"servers"');
  return {
    title: 'The file',
    file,
    key: isVsCode ? 'servers' : 'mcpServers',
    hasType: isVsCode,
    next: 'Start the client again.',
  };
}

/** Where applications of this system have the files of their users. */
function applicationData(machine: Machine): string {
  const { environment } = machine;
  switch (machine.machine.platform) {
    case 'darwin':
      return join(homeOf(machine), 'Library', 'Application Support');
    case 'win32':
      return environment['APPDATA'] ?? join(homeOf(machine), 'AppData', 'Roaming');
    default:
      return environment['XDG_CONFIG_HOME'] || join(homeOf(machine), '.config');
  }
}

function homeOf({ environment, machine }: Machine): string {
  const name = machine.platform === 'win32' ? 'USERPROFILE' : 'HOME';
  const home = environment[name] ?? '';
  if (home !== '') return home;
  throw usageError('--install', `there is no home directory: ${name} is not set`);
}
