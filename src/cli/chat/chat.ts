import type { Command } from 'commander';
import type { Engine } from '../../agent/agent.js';
import type { Message } from '../../agent/message.js';
import type { Model } from '../../agent/model.js';
import { anthropicModel } from '../../agent/models/anthropic.js';
import { openAiModel } from '../../agent/models/openai.js';
import { scriptedModel } from '../../agent/models/scripted.js';
import type { ExitReason, TurnEvent, TurnResult } from '../../agent/options.js';
import { jsonLine, visible, visibleLines } from '../../visible.js';
import { collect } from '../arguments.js';
import type { RunCommand } from '../call.js';
import type { CliCapabilities } from '../capabilities.js';
import { type PluginSettings, addPluginOptions, engineOptions } from '../engine-options.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { reasonOf, usageError } from '../failure.js';
import { makePaint, shorten } from '../output.js';
import { readLines } from '../read-lines.js';
import { declaredSecrets } from '../secrets.js';
import { type Script, parseScript } from './script.js';
import { optionWithValues } from '../completion/with-values.js';

interface ChatSettings extends PluginSettings {
  readonly plugins?: readonly string[];
  readonly model?: string;
  readonly modelName?: string;
  readonly protocol?: string;
  readonly keyEnv?: string;
  readonly agent?: string;
  readonly system?: string;
  readonly script?: string;
}

export function addChat(program: Command, run: RunCommand): void {
  const command = program
    .command('chat')
    .description('chat with a language model that can call the tools of plugins')
    .option(
      '--plugins <DIR>',
      'directory of a plugin, or of several plugins; repeatable (default: none)',
      collect,
    )
    .option('--model <URL>', "base URL of the model's endpoint, e.g. http://127.0.0.1:11434/v1")
    .option('--model-name <NAME>', 'name of the model at that endpoint', 'default')
    .addOption(
      optionWithValues(
        '--protocol <NAME>',
        'openai or anthropic (default: guessed from the URL)',
        Object.keys(KEY_VARIABLES),
      ),
    )
    .option(
      '--key-env <NAME>',
      'variable with the API key (default: OPENAI_API_KEY or ANTHROPIC_API_KEY)',
    )
    .option(
      '--agent <ID>',
      'agent of a plugin, as PLUGIN:AGENT: its instructions, and only the tools that it uses (default: none)',
    )
    .option('--system <TEXT>', 'system prompt (default: none)')
    .option('--script <FILE>', 'run a scripted conversation from this file instead of a model');
  addPluginOptions(command)
    .option('--yes', 'approve every call that requires approval')
    .option('--json', 'print one line of JSON when the conversation ends')
    .action((settings: ChatSettings) => run((capabilities) => runChat(settings, capabilities)));
}

interface Turn {
  readonly prompt: string;
  readonly result: TurnResult;
}

/** Runs a turn for each prompt until the input ends. */
async function runChat(settings: ChatSettings, capabilities: CliCapabilities): Promise<ExitCode> {
  const { plugins = [], json } = settings;
  const script = await readScript(settings, capabilities);
  const system = settings.system ?? script?.system;
  const options = await engineOptions(plugins, settings, capabilities);
  const secrets = declaredSecrets(settings.secret ?? {});
  await using engine = await capabilities.createEngine({ ...options, secrets });
  await warnOfProblems(engine, capabilities);

  const turns: Turn[] = [];
  let history: readonly Message[] = [];
  for await (const { prompt, model } of promptsOf(script, settings, capabilities)) {
    if (prompt.trim() === '/exit') break;
    const printer = makeTurnPrinter(capabilities, json === true);
    const result = await engine
      .agent(settings.agent === undefined ? { model } : { model, agent: settings.agent })
      .turn({
        prompt,
        history,
        ...(system === undefined ? {} : { system }),
        isInteractive: capabilities.ask !== undefined,
        signal: capabilities.interrupted,
        onEvent: printer.print,
      });
    await printer.end(result);
    history = result.messages;
    turns.push({ prompt, result });
    if (capabilities.interrupted.aborted) break;
  }

  const failed = turns.find(({ result }) => result.error !== undefined)?.result.error;
  if (json === true) {
    const lines = turns.map(({ prompt, result }) => ({ prompt, ...result, messages: undefined }));
    const line = { ok: failed === undefined, turns: lines, messages: history };
    await capabilities.stdout.write(
      jsonLine(failed === undefined ? line : { ...line, error: failed }),
    );
  }
  if (failed !== undefined) return EXIT.broken;
  // A turn that reached a limit has no complete answer.
  const unfinished = turns.some(({ result }) => !COMPLETE.has(result.exitReason));
  return unfinished ? EXIT.toolError : EXIT.ok;
}

/** Exit reasons of turns that ended with an answer, or that the operator interrupted. */
const COMPLETE: ReadonlySet<ExitReason> = new Set([
  'no_tool_calls',
  'yield_to_user',
  'aborted_pre_call',
  'aborted_post_response',
  'aborted_during_tools',
  'aborted_via_error',
]);

async function readScript(
  { script, model }: ChatSettings,
  capabilities: CliCapabilities,
): Promise<Script | undefined> {
  if (script === undefined) {
    if (model !== undefined) return undefined;
    throw usageError(
      '--model',
      'no model is set; use --model URL, or --script FILE for a scripted conversation',
    );
  }
  return parseScript(
    await capabilities.readFile(script).catch((error: unknown) => {
      throw usageError('--script', reasonOf(error));
    }),
  );
}

interface Prompt {
  readonly prompt: string;
  readonly model: Model;
}

async function* promptsOf(
  script: Script | undefined,
  settings: ChatSettings,
  capabilities: CliCapabilities,
): AsyncGenerator<Prompt> {
  if (script !== undefined) {
    for (const { prompt, replies } of script.turns) {
      if (settings.json !== true) await capabilities.stderr.write(`you> ${visible(prompt)}\n`);
      yield { prompt, model: scriptedModel(replies) };
    }
    return;
  }
  const model = makeModel(settings, capabilities);
  for await (const prompt of readPrompts(capabilities)) yield { prompt, model };
}

/** Longest prompt that is read from a pipe. */
const MAX_PROMPT_BYTES = 1024 * 1024;

/** The prompts from the terminal, or the lines of standard input. */
async function* readPrompts({ ask, stdin, interrupted }: CliCapabilities): AsyncGenerator<string> {
  if (ask === undefined) {
    for await (const line of readLines(stdin, MAX_PROMPT_BYTES)) if (line !== undefined) yield line;
    return;
  }
  for (;;) {
    const line = await ask('\nyou> ', interrupted);
    // The end of the input or an empty line ends the conversation.
    if (line === '' || interrupted.aborted) return;
    yield line;
  }
}

const KEY_VARIABLES = { openai: 'OPENAI_API_KEY', anthropic: 'ANTHROPIC_API_KEY' } as const;

function makeModel(settings: ChatSettings, { environment }: CliCapabilities): Model {
  const { model: url = '', modelName = 'default' } = settings;
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw usageError('--model', '--model takes an http or https URL');
  }
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') {
    throw usageError(
      '--model',
      '--model must not contain a name or password; put the key into a variable and name it with --key-env',
    );
  }
  const protocol = settings.protocol ?? (/anthropic/.test(url) ? 'anthropic' : 'openai');
  if (protocol !== 'openai' && protocol !== 'anthropic') {
    throw usageError('--protocol', '--protocol takes openai or anthropic');
  }
  const apiKey = environment[settings.keyEnv ?? KEY_VARIABLES[protocol]];
  const endpoint = { url, model: modelName, ...(apiKey === undefined ? {} : { apiKey }) };
  return protocol === 'openai' ? openAiModel(endpoint) : anthropicModel(endpoint);
}

async function warnOfProblems(engine: Engine, { stderr }: CliCapabilities): Promise<void> {
  for (const { id, problems } of engine.plugins()) {
    for (const { code, message } of problems) {
      await stderr.write(`${visible(id)}: ${code} ${visible(message)}\n`);
    }
  }
}

/** Prints a turn while it runs: the model's text on standard output, tool calls on standard error. */
export interface TurnPrinter {
  print(event: TurnEvent): void;
  /** Resolves when everything is written. */
  end(result: TurnResult): Promise<void>;
}

const MAX_SHOWN = 300;

export function makeTurnPrinter({ stdout, stderr }: CliCapabilities, quiet: boolean): TurnPrinter {
  const paint = makePaint(stderr.colour);
  let last: Promise<void> = Promise.resolve();
  let midLine = false;
  const write = (sink: CliCapabilities['stdout'], text: string): void => {
    last = last.then(() => sink.write(text));
  };
  const writeNote = (text: string): void => {
    write(stderr, `${midLine ? '\n' : ''}${text}\n`);
    midLine = false;
  };

  return {
    print: (event) => {
      if (quiet) return;
      if (event.type === 'text') {
        write(stdout, visibleLines(event.text));
        midLine = !event.text.endsWith('\n');
      } else if (event.type === 'tool-call') {
        writeNote(
          paint(
            'dim',
            `  → ${visible(event.tool)} ${shorten(JSON.stringify(event.input), MAX_SHOWN)}`,
          ),
        );
      } else if (event.type === 'tool-output') {
        writeNote(paint('dim', `    ${shorten(event.chunk, MAX_SHOWN)}`));
      } else if (event.type === 'tool-result') {
        const text = `  ${event.isError ? '✗' : '←'} ${shorten(event.text, MAX_SHOWN)}`;
        writeNote(event.isError ? paint('red', text) : paint('dim', text));
      } else if (event.type === 'compacted') {
        writeNote(paint('dim', `  (compacted from ${event.before} to ${event.after} tokens)`));
      }
    },
    end: async ({ exitReason, error }) => {
      if (!quiet) {
        if (midLine) write(stdout, '\n');
        if (error !== undefined) writeNote(paint('red', `  ${visible(error.message)}`));
        else if (exitReason !== 'no_tool_calls' && exitReason !== 'yield_to_user') {
          writeNote(paint('dim', `  (the turn ended: ${exitReason})`));
        }
      }
      await last;
    },
  };
}
