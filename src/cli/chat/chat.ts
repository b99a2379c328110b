import type { Command } from 'commander';
import {
  anthropicModel,
  type Engine,
  type Message,
  type Model,
  openAiModel,
  scriptedModel,
  type TurnResult,
} from '../../index.js';
import { collect } from '../arguments.js';
import type { RunCommand } from '../call.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { usageError } from '../failure.js';
import { readLines } from '../lines.js';
import type { CliPowers } from '../powers.js';
import { whereDeclared } from '../secrets.js';
import { addPluginOptions, engineOptions, type PluginSettings } from '../settings.js';
import { jsonLine, visible } from '../visible.js';
import { parseScript, type Script } from './script.js';
import { makeTeller } from './tell.js';

interface ChatSettings extends PluginSettings {
  readonly plugins?: readonly string[];
  readonly model?: string;
  readonly modelName?: string;
  readonly protocol?: string;
  readonly keyEnv?: string;
  readonly system?: string;
  readonly script?: string;
}

export function addChat(program: Command, run: RunCommand): void {
  const command = program
    .command('chat')
    .description('hold a conversation with a model that uses the tools of plugins')
    .option(
      '--plugins <DIR>',
      'a directory of a plugin, or of plugins; may be given again',
      collect,
    )
    .option('--model <URL>', "the base of the model's endpoint, e.g. http://127.0.0.1:11434/v1")
    .option('--model-name <NAME>', "the model's name there", 'default')
    .option('--protocol <NAME>', 'openai or anthropic; by default by the address')
    .option('--key-env <NAME>', 'the variable that holds the key of the endpoint')
    .option('--system <TEXT>', 'what the model is told first')
    .option('--script <FILE>', 'replay a conversation that was written down, without a model');
  addPluginOptions(command)
    .option('--yes', 'approve what would ask')
    .option('--json', 'print one line of JSON when the conversation is over')
    .action((settings: ChatSettings) => run((powers) => runChat(settings, powers)));
}

interface Told {
  readonly prompt: string;
  readonly result: TurnResult;
}

/** Takes prompts until there are no more, each a turn on what was said before. */
async function runChat(settings: ChatSettings, powers: CliPowers): Promise<ExitCode> {
  const { plugins = [], json } = settings;
  const script = await readScript(settings, powers);
  const system = settings.system ?? script?.system;
  const options = await engineOptions(plugins, settings, powers);
  const secrets = whereDeclared(settings.secret ?? {});
  await using engine = await powers.createEngine({ ...options, secrets });
  await warnOfProblems(engine, powers);

  const turns: Told[] = [];
  let history: readonly Message[] = [];
  for await (const { prompt, model } of promptsOf(script, settings, powers)) {
    if (prompt.trim() === '/exit') break;
    const teller = makeTeller(powers, json === true);
    const result = await engine.agent({ model }).turn({
      prompt,
      history,
      ...(system === undefined ? {} : { system }),
      isInteractive: powers.ask !== undefined,
      signal: powers.interrupted,
      onEvent: teller.tell,
    });
    await teller.end(result);
    history = result.messages;
    turns.push({ prompt, result });
    if (powers.interrupted.aborted) break;
  }

  const failed = turns.find(({ result }) => result.error !== undefined)?.result.error;
  if (json === true) {
    const told = turns.map(({ prompt, result }) => ({ prompt, ...result, messages: undefined }));
    const line = { ok: failed === undefined, turns: told, messages: history };
    await powers.stdout.write(jsonLine(failed === undefined ? line : { ...line, error: failed }));
  }
  return failed === undefined ? EXIT.ok : EXIT.broken;
}

async function readScript(
  { script, model }: ChatSettings,
  powers: CliPowers,
): Promise<Script | undefined> {
  if (script === undefined) {
    if (model !== undefined) return undefined;
    throw usageError(
      '--model',
      'there is nobody to talk to: give --model URL, or --script FILE to replay a conversation',
    );
  }
  return parseScript(
    await powers.readFile(script).catch((error: unknown) => {
      throw usageError('--script', error instanceof Error ? error.message : String(error));
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
  powers: CliPowers,
): AsyncGenerator<Prompt> {
  if (script !== undefined) {
    for (const { prompt, replies } of script.turns) {
      if (settings.json !== true) await powers.stderr.write(`you> ${visible(prompt)}\n`);
      yield { prompt, model: scriptedModel(replies) };
    }
    return;
  }
  const model = makeModel(settings, powers);
  for await (const prompt of saidBy(powers)) yield { prompt, model };
}

/** Longest prompt that is read from a pipe. */
const MAX_PROMPT_BYTES = 1024 * 1024;

/** What the person at the terminal types, or the lines of standard input. */
async function* saidBy({ ask, stdin, interrupted }: CliPowers): AsyncGenerator<string> {
  if (ask === undefined) {
    for await (const line of readLines(stdin, MAX_PROMPT_BYTES)) if (line !== undefined) yield line;
    return;
  }
  for (;;) {
    const line = await ask('\nyou> ', interrupted);
    // An end of input, or an empty line, ends the conversation.
    if (line === '' || interrupted.aborted) return;
    yield line;
  }
}

const KEY_VARIABLES = { openai: 'OPENAI_API_KEY', anthropic: 'ANTHROPIC_API_KEY' } as const;

function makeModel(settings: ChatSettings, { environment }: CliPowers): Model {
  const { model: url = '', modelName = 'default' } = settings;
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw usageError('--model', 'the address has to be one of http or https');
  }
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') {
    throw usageError(
      '--model',
      'the address holds a name or password: put the key into a variable, and name it by --key-env',
    );
  }
  const protocol = settings.protocol ?? (/anthropic/.test(url) ? 'anthropic' : 'openai');
  if (protocol !== 'openai' && protocol !== 'anthropic') {
    throw usageError('--protocol', 'there are openai and anthropic');
  }
  const apiKey = environment[settings.keyEnv ?? KEY_VARIABLES[protocol]];
  const endpoint = { url, model: modelName, ...(apiKey === undefined ? {} : { apiKey }) };
  return protocol === 'openai' ? openAiModel(endpoint) : anthropicModel(endpoint);
}

async function warnOfProblems(engine: Engine, { stderr }: CliPowers): Promise<void> {
  for (const { id, problems } of engine.plugins()) {
    for (const { code, message } of problems) {
      await stderr.write(`${visible(id)}: ${code} ${visible(message)}\n`);
    }
  }
}
