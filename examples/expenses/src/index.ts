const open = [
  { id: 'e1', payee: 'Ann', euros: 40 },
  { id: 'e2', payee: 'Ben', euros: 25 },
];

async function payments(): Promise<string[]> {
  const log = (await storage.stat('paid.txt')) ? await storage.read('paid.txt') : '';
  return log.split('\n').filter((line: string) => line !== '');
}

const list = {
  id: 'list',
  name: 'List expenses',
  description: 'Lists all expenses, and the payments made',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  annotations: { readOnlyHint: true },
  execute: async () => ({ expenses: open, paid: await payments() }),
};

const pay = {
  id: 'pay',
  name: 'Pay an expense',
  description: 'Pays one expense by its id',
  parameters: {
    type: 'object',
    properties: { id: { type: 'string', enum: open.map(({ id }) => id) } },
    required: ['id'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false, destructiveHint: true },
  execute: async ({ id }: { id: string }) => {
    const { payee, euros } = open.find((expense) => expense.id === id)!;
    await storage.append('paid.txt', `${euros} EUR to ${payee}\n`);
    return `Paid ${euros} EUR to ${payee}.`;
  },
};

export const tools = [list, pay];
