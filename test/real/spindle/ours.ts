import { join } from 'node:path';
import { SPINDLE_POWERS } from '../../../types/spindle-host.js';
import { createEngine, type Engine } from '../../../src/index.js';
import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import type { RunSpec } from '../scenario.js';
import { answerOf, comparable, effectOf, MODEL_MS, QUIET_MS } from './lumiverse.js';
import type { ContextKind, SpindleScenario, SpindleStep } from './step.js';

/** Runs the steps in Bulkhead. The host lends every member of `spindle`, as Lumiverse does. */
export async function runOurs({
  id,
  plugin,
  workspace,
  scenario,
  origins,
  packages,
  onAnswer,
}: RunSpec<SpindleStep> & { readonly scenario: SpindleScenario }): Promise<void> {
  let effects: string[] = [];
  let lastMs = Date.now();
  const busy = new Set<object>();
  const said: string[] = [];
  await using engine = await createEngine({
    plugins: [plugin],
    ...(packages === undefined ? {} : { packages }),
    grant: ({ entries }) => {
      const [entry] = entries;
      return { ...entry?.declared, ...scenario.grant };
    },
    background: [id],
    config: () => scenario.config ?? {},
    network: { overrides: Object.entries(origins).map(([host, url]) => ({ host, url })) },
    storageDirectory: join(workspace, '..', 'storage'),
    tolerance: 'full',
    logger: {
      debug: quiet,
      info: quiet,
      warn: (...parts) => note(parts),
      error: (...parts) => note(parts),
    },
    powers: Object.entries(SPINDLE_POWERS)
      .filter(([name]) => !/^spindle\.(?:variables|rpcPool|ephemeral)\./.test(name))
      .map(([name, permission]) => ({
        name,
        permission,
        risk: 'low' as const,
        // Lumiverse has no cap.
        maxArgumentBytes: 32 * 1024 * 1024,
        maxResultBytes: 32 * 1024 * 1024,
        handler: async (args) => {
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every member sends this
          const values = (args as { readonly args: readonly Json[] }).args;
          const member = name.slice('spindle.'.length);
          effects.push(effectOf(member, values));
          lastMs = Date.now();
          busy.add(values);
          if (member.startsWith('generate.')) await pause(MODEL_MS);
          busy.delete(values);
          lastMs = Date.now();
          const text = values.find((value) => typeof value === 'string') ?? '';
          return answerOf(member.replace(/Stream$/, ''), text, scenario);
        },
      })),
  });
  const note = (parts: readonly unknown[]): void => {
    said.push(
      parts.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(' '),
    );
  };
  const settle = async (): Promise<void> => {
    const began = Date.now();
    lastMs = began;
    while (Date.now() - began < 8_000 && (busy.size > 0 || Date.now() - lastMs < QUIET_MS))
      await pause(20);
  };
  await pause(300);
  await settle();
  for (const step of scenario.steps) {
    if (!('boot' in step)) effects = [];
    const result = await act(engine, id, step);
    await settle();
    const {
      events = [],
      hooks = {},
      macros = [],
      endpoints = [],
      commands = [],
    } = engine.spindle.registrations()[id] ?? {};
    const registrations = {
      // Not the host's event: Lumiverse does not subscribe to it at its host.
      events: events.filter((event) => event !== 'PERMISSION_CHANGED').toSorted(),
      hooks: Object.fromEntries(
        Object.entries(hooks).map(([kind, { priority }]) => [kind, priority]),
      ),
      macros: macros.map(({ name }) => name).toSorted(),
      tools: engine
        .availableTools({})
        .map(({ tool }) => tool)
        .toSorted(),
      endpoints: endpoints.map(({ endpoint }) => endpoint).toSorted(),
      commands: commands.map((command) => JSON.stringify(command['id'])).toSorted(),
    };
    onAnswer(
      copy({
        ...(result === undefined ? {} : { result }),
        effects: comparable(effects, scenario),
        ...('boot' in step ? { registrations } : {}),
      }),
    );
  }
  if (process.env['ORACLE_LOG'] === '1') console.error(said.join('\n'));
}

async function act(engine: Engine, id: string, step: SpindleStep): Promise<unknown> {
  const { spindle } = engine;
  const userId = 'user-1';
  if ('boot' in step) return undefined;
  if ('message' in step) {
    await spindle.frontendMessage(id, step.message, { userId });
    return undefined;
  }
  if ('event' in step) {
    spindle.emit(step.event, step.payload, { userId, needs: [] });
    return undefined;
  }
  if ('intercept' in step) {
    const { messages, parameters, breakdown } = await spindle.intercept({
      messages: step.intercept,
      context: step.context ?? {},
      userId,
    });
    const [first] = breakdown;
    return { messages, parameters, ...(first === undefined ? {} : { breakdown: first.breakdown }) };
  }
  if ('handle' in step) return handle(engine, step);
  if ('macro' in step) {
    return spindle.resolveMacros(`{{${[step.macro, ...(step.args ?? [])].join('::')}}}`, {
      context: { env: { chat: { id: 'chat-1' } } },
      userId,
    });
  }
  if ('command' in step) {
    await spindle.invokeCommand(id, step.command, step.context ?? {}, { userId });
    return undefined;
  }
  if ('oauth' in step) {
    return spindle.oauthCallback(id, step.oauth).then(
      ({ html }) => ({ html }),
      (error: unknown) => ({ error: error instanceof Error ? error.message : '' }),
    );
  }
  const { tool, args = {}, councilMember, contextMessages } = step;
  const result = await engine.call(`${id}:${tool}`, args, {
    context: {
      ...(councilMember === undefined ? {} : { councilMember }),
      ...(contextMessages === undefined ? {} : { contextMessages }),
    },
  });
  return result.isError ? { error: result.content } : { result: result.value };
}

/** What the one extension's handler made of the context; `null` if it has none of this kind. */
async function handle(
  engine: Engine,
  { handle: kind, context }: { readonly handle: ContextKind; readonly context: JsonObject },
): Promise<unknown> {
  const { context: after, steps } = await engine.spindle.handleContext(
    { context, userId: 'user-1' },
    kind,
  );
  if (steps.length === 0) return null;
  if (kind === 'macroInterceptor') return Object(after)['template'];
  if (kind === 'worldInfoInterceptor') return Object(after)['entries'];
  return after;
}

function quiet(): void {}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function copy(value: object): Json {
  return JSON.parse(JSON.stringify(value));
}
