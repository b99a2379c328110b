import { join } from 'node:path';
import type { Engine } from '../src/agent/agent.js';
import type { Model, ModelReply, ModelRequest } from '../src/agent/model.js';
import type { ToolPolicy } from '../src/approval/policy.js';
import { createEngine } from './built.js';
import type { Effort, Measure } from './measure.js';
import { withDirectory, writeTools } from './plugins-on-disk.js';
import { inTurns, quantile, time } from './statistics.js';
import { silent } from './subject.js';

const CALLS = 10;
const ROUNDS = 8;
/** A usual estimate for English and JSON. */
const CHARACTERS_OF_A_TOKEN = 4;

/** An order of some 1,500 characters, as interfaces of shops answer. */
const SHOP = `export const tools = [{ id: 'order', name: 'Order', description: 'Returns one order by its number',
  parameters: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
  annotations: { readOnlyHint: true },
  execute: ({ n }) => ({ n, euros: 37 * n, lines: Array.from({ length: 12 }, (_, i) => ({ sku: 'SKU-' + n + '-' + i, title: 'A thing of the kind ' + i, amount: i + 1, euros: (37 * n) / 12 })) }) }];`;

const PROGRAM = `const orders = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => tools.shop.order({ n })));
return orders.filter(({ euros }) => euros > 100).reduce((sum, { euros }) => sum + euros, 0);`;

const SUM = 1_924;

/** Without code mode a model does not see the tools that run programs. */
const TOOLS_ALONE: ToolPolicy = { blockedTools: ['run_program', 'search_tools'] };

/** What a model read and wrote in one task. */
interface Cost {
  requests: number;
  characters: number;
}

/**
 * A task of ten calls: by one call a turn, and by a program. The model is a script that answers at once, so
 * that the time is the host's alone; a real model adds its own time for each request.
 */
export function measurePrograms({ share }: Effort): Promise<Measure[]> {
  return withDirectory(async (root) => {
    const shop = join(root, 'shop');
    writeTools(shop, 'shop', SHOP);
    const engine = await createEngine({
      plugins: [shop],
      cacheDirectory: join(root, 'cache'),
      storageDirectory: join(root, 'storage'),
      enclaveKeyFile: join(root, 'enclave.key'),
      programs: true,
      tolerance: 'full',
      riskPolicy: 'author',
      logger: silent,
    });
    try {
      const costs = { turns: newCost(), program: newCost() };
      const turns = (): Promise<void> => run(engine, byTurns, costs.turns, TOOLS_ALONE);
      const program = (): Promise<void> => run(engine, byProgram, costs.program);
      for (const task of [turns, program]) await time(2, task);
      Object.assign(costs.turns, newCost());
      Object.assign(costs.program, newCost());
      const samples = await inTurns(ROUNDS, {
        turns: () => time(1, turns),
        program: () => time(1, program),
      });
      const tokens = ({ characters }: Cost): number => characters / ROUNDS / CHARACTERS_OF_A_TOKEN;
      const requests = (cost: Cost): number => cost.requests / ROUNDS;
      const row = (work: string, unit: Measure['unit'], ours: number, floor: number): Measure => ({
        work,
        unit,
        ours,
        floor,
        ratio: ours / floor,
      });
      return [
        row(
          'program: ten calls, what a model reads and writes, against one call a turn',
          'tokens',
          tokens(costs.program),
          tokens(costs.turns),
        ),
        row(
          'program: ten calls, requests to a model, against one call a turn',
          'requests',
          requests(costs.program),
          requests(costs.turns),
        ),
        row(
          'program: ten calls, time of the host, against one call a turn',
          'ms',
          quantile(samples.program, share),
          quantile(samples.turns, share),
        ),
      ];
    } finally {
      await engine.close();
    }
  });
}

function newCost(): Cost {
  return { requests: 0, characters: 0 };
}

async function run(
  engine: Engine,
  script: (request: ModelRequest) => ModelReply,
  cost: Cost,
  policy: ToolPolicy = {},
): Promise<void> {
  const model: Model = {
    respond: async (request) => {
      const reply = script(request);
      cost.requests += 1;
      cost.characters += JSON.stringify([request, reply.content]).length;
      return reply;
    },
  };
  const { text, error } = await engine
    .agent({ model, maxIterations: CALLS + 2 })
    .turn({ prompt: 'What is the sum of the orders 1 to 10 that are above 100 EUR?', policy });
  if (text !== `${SUM} EUR`) throw new Error(`the task was not done: ${error?.message ?? text}`);
}

const said = ({ messages }: ModelRequest): number =>
  messages.filter(({ role }) => role === 'assistant').length;

function toolCall(id: string, name: string, input: object): ModelReply {
  const block = { type: 'tool_use', id, name, input } as never;
  return { content: [block], stopReason: 'tool_use' };
}

const DONE: ModelReply = {
  content: [{ type: 'text', text: `${SUM} EUR` }],
  stopReason: 'end_turn',
};

function byTurns(request: ModelRequest): ModelReply {
  const n = said(request) + 1;
  return n > CALLS ? DONE : toolCall(`call_${n}`, 'shop__order', { n });
}

function byProgram(request: ModelRequest): ModelReply {
  if (said(request) > 0) {
    if (!JSON.stringify(request.messages).includes(String(SUM))) throw new Error('no result');
    return DONE;
  }
  return toolCall('call_1', 'run_program', { source: PROGRAM });
}
