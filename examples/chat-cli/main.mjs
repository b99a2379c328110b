// A chat in the terminal. It asks you before the assistant pays anything.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createEngine } from 'bulkhead';
import { openAiModel } from 'bulkhead/agent';
import { startModel } from '../model/stand-in.mjs';

const storageDirectory = mkdtempSync(join(tmpdir(), 'chat-cli-'));
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
async function ask(text) {
  process.stdout.write(text);
  const { value = '' } = await lines.next();
  return value.trim();
}

const model = await startModel();
const engine = await createEngine({
  plugins: [fileURLToPath(new URL('../expenses', import.meta.url))],
  grant: 'declared',
  tolerance: 'default',
  storageDirectory,
  // `shown` is the exact input, with invisible characters escaped.
  approve: async ({ id, risk, shown }) => {
    const answer = await ask(`${id} (${risk} risk) wants to run with ${shown}\nAllow? [y/N] `);
    return { verdict: answer === 'y' ? 'once' : 'deny', by: 'terminal', approver: 'person' };
  },
});
const agent = engine.agent({ model: openAiModel({ url: model.url, model: 'stand-in' }) });

let history = [];
for (;;) {
  const prompt = await ask('> ');
  if (prompt === '') break;
  const turn = await agent.turn({ prompt, history });
  history = turn.messages;
  process.stdout.write(`${turn.error?.message ?? turn.text}\n`);
}
await engine.close();
model.close();
rmSync(storageDirectory, { recursive: true });
