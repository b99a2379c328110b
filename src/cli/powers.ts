import type {
  AuditReader,
  Engine,
  EngineOptions,
  LockBook,
  RuleBook,
  Suggestion,
} from '../index.js';

/** Everything of the world that a command may touch. `main.ts` makes it; tests pass a fake. */
export interface CliPowers {
  readonly createEngine: (options: EngineOptions) => Promise<Engine>;
  /** What a plugin's code shows that it needs. */
  readonly suggestPermissions: (directory: string) => Promise<Suggestion>;
  /** Reads the audit log in that file. */
  readonly readAudit: (path: string) => AuditReader;
  /** The rules in that file. */
  readonly openRules: (path: string) => RuleBook;
  /** The lock in that file. */
  readonly openLockBook: (path: string, options: EngineOptions) => LockBook;
  /** Asks a server of the operator's own. */
  readonly http: (url: string, request: OperatorRequest) => Promise<OperatorAnswer>;
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly readFile: (path: string) => Promise<string>;
  /** Writes a file that its user alone may read, and the directories that lead to it. */
  readonly writeFile: (path: string, text: string) => Promise<void>;
  readonly listDirectory: (path: string) => Promise<readonly string[]>;
  /** The path without links; as it was given where there is nothing. */
  readonly realPath: (path: string) => Promise<string>;
  readonly machine: MachineFacts;
  /** The host's variables: what plugins are granted of them, they read there. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
  /** Asks the person at the terminal and gives their line; absent where nobody sits at one. */
  readonly ask?: (question: string, signal: AbortSignal) => Promise<string>;
  /** Aborted when the person interrupts. */
  readonly interrupted: AbortSignal;
  /** Calls the listener at each SIGHUP, which ends nothing meanwhile; returns how to stop. */
  readonly onHangup: (listener: () => void) => () => void;
  /** Where the example plugins are. */
  readonly fixtures: string;
  /** Serves HTTP on a port of the loopback interface that is free. */
  readonly serve: (answer: HttpAnswer) => Promise<LoopbackServer>;
}

/** What the operating system and Node say of the machine that this command runs on. */
export interface MachineFacts {
  readonly node: string;
  readonly v8: string;
  readonly platform: string;
  readonly arch: string;
  readonly kernel: string;
  readonly processors: number;
  readonly memoryBytes: number;
  /** Whether this process is the superuser's. */
  readonly superuser: boolean;
}

/** Answers the path and query of a GET request with a status and a body of JSON. */
export type HttpAnswer = (path: string) => { readonly status: number; readonly body: unknown };

export interface LoopbackServer extends AsyncDisposable {
  /** e.g. `http://127.0.0.1:41873` */
  readonly url: string;
}

export interface TextSink {
  /** Resolves once the text has left, or once nobody reads any more. */
  write(text: string): Promise<void>;
  readonly isTerminal: boolean;
  /** Whether colour is welcome: a terminal, and no NO_COLOR. */
  readonly colour: boolean;
  /** Nobody reads any more. */
  readonly closed: boolean;
}

export interface OperatorRequest {
  readonly method: 'GET' | 'POST';
  /** The operator's token. */
  readonly token: string;
  /** JSON. */
  readonly body?: string;
}

export interface OperatorAnswer {
  readonly status: number;
  readonly text: string;
}
