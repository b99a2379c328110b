import type { Engine } from '../agent/agent.js';
import type { Engine as PlainEngine } from '../engine/engine-api.js';
import type { StoredApprovals } from '../approval/stored-approvals.js';
import type { RuleBook } from '../approval/rule-book.js';
import type { AuditReader } from '../audit/options.js';
import type { Lockfile } from '../engine/lockfile.js';
import type { FinishedProgram } from '../engine/programs/finished-programs.js';
import type { EngineOptions } from '../engine/types/options.js';
import type { PackageSettings } from '../engine/types/package-options.js';
import type { WallPlan } from '../guests/walls/plan.js';
import type { PackageStore } from '../npm/store.js';
import type { PublicKey } from '../keys/signing-key.js';
import type { Stops } from '../stops/stop.js';
import type { CheckFinding } from '../check/finding.js';
import type { Prompts } from './prompts.js';
import type { CodePlaces } from '../suggest/code-places.js';
import type { Suggestion } from '../suggest/suggestion.js';

/** Everything outside the process that a command may use. `main.ts` creates it; tests pass a fake. */
export interface CliCapabilities {
  readonly createEngine: (options: EngineOptions) => Promise<Engine>;
  /** Makes engines that are created from now on bundle a plugin that changes without a new process. */
  readonly keepBundlers: () => () => void;
  /** An engine for a plugin in development: `grant` decides, whatever the plugin declares. */
  readonly createLearningEngine: (
    options: EngineOptions,
    packages?: PackageSettings,
  ) => Promise<PlainEngine>;
  /** Reads a plugin's code, and returns the permissions that it needs. */
  readonly suggestPermissions: (directory: string) => Promise<Suggestion>;
  /** Reads the code of a plugin for places that errors without a stack do not have. */
  readonly findCodePlaces: (directory: string) => Promise<CodePlaces>;
  readonly findMisspeltKeys: (directory: string) => Promise<readonly CheckFinding[]>;
  /** The packages of npm that were fetched for this user. */
  readonly packages: PackageStore;
  /** Reads the audit log in that file. */
  readonly readAudit: (path: string) => AuditReader;
  /** Reads a file of public Ed25519 keys. Throws `INVALID_KEY`. */
  readonly readPublicKeys: (path: string) => readonly PublicKey[];
  /** Opens the file of rules. */
  readonly openRules: (path: string) => RuleBook;
  /** Opens the approvals of a storage directory. Default: the engine's default directory. */
  readonly openApprovals: (storageDirectory?: string) => StoredApprovals;
  /** Reads the source of a finished program. Default: of the engine's default directories. */
  readonly readFinishedProgram: (
    id: string,
    place: { readonly storageDirectory?: string; readonly enclaveKeyFile?: string },
  ) => FinishedProgram;
  /** Opens the stops of a storage directory. Default: the engine's default directory. */
  readonly openStops: (storageDirectory?: string) => Stops;
  /** Opens the lock file. */
  readonly openLockfile: (path: string, options: EngineOptions) => Lockfile;
  /** Sends a request to the operator's own server. */
  readonly http: (url: string, request: OperatorRequest) => Promise<OperatorAnswer>;
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly readFile: (path: string) => Promise<string>;
  /** Writes a file with mode 0600, and creates its directories. */
  readonly writeFile: (path: string, text: string) => Promise<void>;
  /**
   * Replaces a text file in one step, or creates it. Others can read it only if they could read the former
   * file.
   */
  readonly replaceText: (path: string, text: string) => Promise<void>;
  /** How another program starts this command line, with absolute paths. */
  readonly ownCommand: { readonly command: string; readonly args: readonly string[] };
  /** Rejects if `writeFile` could not write there. Creates the directories, and leaves no new file. */
  readonly checkWritable: (path: string) => Promise<void>;
  /** Creates a directory and its parents. Rejects if it has an entry. */
  readonly makeEmptyDirectory: (path: string) => Promise<void>;
  /** A new directory for the storage of plugins, which is removed when it is disposed. */
  readonly makeScratch: () => Promise<{ readonly directory: string } & AsyncDisposable>;
  /** Writes files into a new directory, by path relative to it. Rejects if the directory has an entry. */
  readonly makeProject: (
    directory: string,
    files: Readonly<Record<string, string>>,
  ) => Promise<void>;
  /** Writes a new file with mode 0600. Rejects if the path exists, also as a link. */
  readonly saveNewFile: (path: string, content: ReadableStream<Uint8Array>) => Promise<void>;
  /** Runs Node with this process's streams until it ends; returns its status. */
  readonly runNode: (
    args: readonly string[],
    place: {
      readonly directory: string;
      readonly environment: Readonly<Record<string, string | undefined>>;
    },
  ) => Promise<number>;
  /** Loads a module of the operator into this process. The path is relative to the working directory. */
  readonly importModule: (path: string) => Promise<unknown>;
  readonly listDirectory: (path: string) => Promise<readonly string[]>;
  /** Resolves links; returns the path unchanged if it does not exist. */
  readonly realPath: (path: string) => Promise<string>;
  /** The version of Bulkhead. */
  readonly version: string;
  readonly machine: MachineFacts;
  /** The name of the system's user that runs this process, not the variable USER. */
  readonly operator: string;
  /** The host's environment variables, from which plugins get the granted ones. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
  /** Asks the operator at the terminal, and returns the line. Absent without a terminal. */
  readonly ask?: (question: string, signal: AbortSignal) => Promise<string>;
  /** Asks with menus and checks. Absent without a terminal. */
  readonly prompts?: Prompts;
  /** Reads standard input again: a question leaves it paused. */
  readonly resumeInput?: () => void;
  /** Opens a prompt for many lines at the terminal. Absent without a terminal. */
  readonly openPrompt?: (options: PromptOptions) => LinePrompt;
  /** Aborted by SIGINT and SIGTERM. */
  readonly interrupted: AbortSignal;
  /** Calls the listener at each SIGHUP; returns a function that removes the listener. */
  readonly onHangup: (listener: () => void) => () => void;
  /** Calls the listener within 2 s of each change of a file; returns a function that removes it. */
  readonly watchFile: (path: string, listener: () => void) => () => void;
  /** The directory of the example plugins. */
  readonly fixtures: string;
  /** Serves HTTP on a free port of the loopback interface. */
  readonly serve: (answer: HttpAnswer) => Promise<LoopbackServer>;
  readonly walls: WallsCapability;
}

export interface PromptOptions {
  readonly prompt: string;
  /** Lines of earlier prompts, the newest first. */
  readonly history: readonly string[];
  /** The candidates that complete a line, and the end of the line that they replace. */
  readonly complete: (line: string) => readonly [readonly string[], string];
  /** Ctrl+C was pressed, which is no signal while the prompt is open. */
  readonly onInterrupt: () => void;
}

/** A prompt at the terminal. Iterating it yields the lines, until Ctrl+D or `close`. */
export interface LinePrompt extends AsyncIterable<string> {
  /** Runs what writes to the terminal, with the prompt out of the way. */
  above(write: () => Promise<void>): Promise<void>;
  /** Asks a question in place of the prompt. */
  ask(question: string, signal: AbortSignal): Promise<string>;
  close(): void;
}

/** The walls that guests get on this machine. */
export interface WallsCapability {
  readonly plan: () => Promise<WallPlan>;
  /** The command that installs what would build the missing walls, if there is one. */
  readonly install: () => Promise<string | undefined>;
  /** The path of a program, by its path or by its name in `path`; preferably below one of `shown`. */
  readonly find: (name: string, path: string, shown: readonly string[]) => string | undefined;
  /** Runs a program behind the walls, connected to this process's streams; returns its status. */
  readonly run: (command: readonly string[], show: readonly string[]) => Promise<number>;
}

/** Facts about this machine. */
export interface MachineFacts {
  readonly node: string;
  readonly v8: string;
  readonly platform: string;
  readonly arch: string;
  readonly kernel: string;
  readonly processors: number;
  readonly memoryBytes: number;
  /** Whether this process runs as root. */
  readonly superuser: boolean;
}

/** Answers the path and query of a GET request with a status and a body of JSON. */
export type HttpAnswer = (path: string) => { readonly status: number; readonly body: unknown };

export interface LoopbackServer extends AsyncDisposable {
  /** e.g. `http://127.0.0.1:41873` */
  readonly url: string;
}

export interface TextSink {
  /** Resolves when the text is written, or when the reader has closed the stream. */
  write(text: string): Promise<void>;
  readonly isTerminal: boolean;
  /** Whether to use colour: a terminal without NO_COLOR. */
  readonly colour: boolean;
  /** Whether the reader has closed the stream. */
  readonly closed: boolean;
}

export interface OperatorRequest {
  readonly method: 'GET' | 'POST';
  readonly token: string;
  /** JSON. */
  readonly body?: string;
}

export interface OperatorAnswer {
  readonly status: number;
  readonly text: string;
}
