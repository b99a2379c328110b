// A chat bot: members ask it in one channel, and approvers press a button in another.
import { timingSafeEqual } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createEngine } from 'bulkhead';
import { openAiModel } from 'bulkhead/agent';
import { startModel } from '../model/stand-in.mjs';
import { sign, startService } from './service.mjs';

const tenant = 'acme';
const approvers = new Set(['ann']);
const service = startService();
const model = await startModel();
const storageDirectory = mkdtempSync(join(tmpdir(), 'chat-bot-'));
const engine = await createEngine({
  plugins: [fileURLToPath(new URL('../expenses', import.meta.url))],
  grant: 'declared',
  tolerance: 'default',
  storageDirectory,
});

// While there is a listener, a call that needs approval waits for the answer.
engine.approvals.on('request', ({ approvalId, digest, id, risk, shown }) => {
  // `shown` is the exact input, with invisible characters escaped. The button carries what was shown.
  const value = (verdict) => JSON.stringify({ approvalId, digest, verdict });
  service.post({
    channel: 'approvals',
    text: `${id} (${risk} risk) wants to run with ${shown}`,
    buttons: [
      { name: 'approve', value: value('once') },
      { name: 'deny', value: value('deny') },
    ],
  });
});

async function press(user, value) {
  const { approvalId, digest, verdict } = JSON.parse(value);
  // Who may approve is decided here. The button is only a pointer to the question.
  if (!approvers.has(user))
    return service.post({ channel: 'approvals', text: `${user} may not approve` });
  if (engine.approvals.get(approvalId)?.state !== 'pending')
    return service.post({ channel: 'approvals', text: 'this question does not wait any more' });
  await engine.approvals.answer(approvalId, {
    verdict: verdict === 'once' ? 'once' : 'deny',
    digest,
    by: user,
    approver: 'person',
  });
}

const agent = engine.agent({ model: openAiModel({ url: model.url, model: 'stand-in' }) });
const histories = new Map();
async function converse(user, prompt) {
  const turn = await agent.turn({
    prompt,
    history: histories.get(user) ?? [],
    conversationId: user,
    tenant,
  });
  histories.set(user, turn.messages);
  service.post({ channel: 'general', text: `@${user} ${turn.error?.message ?? turn.text}` });
}

const MAX_AGE_MS = 5 * 60_000;
const turns = new Set();
const server = createServer(async (request, response) => {
  const body = await text(request);
  const { 'x-chat-time': time = '', 'x-chat-signature': signature = '' } = request.headers;
  const [given, wanted] = [Buffer.from(signature), Buffer.from(sign(service.secret, time, body))];
  const isFresh = Math.abs(Date.now() - Number(time)) < MAX_AGE_MS;
  if (!isFresh || given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
    response.writeHead(401).end('the signature is not valid');
    return;
  }
  const { user, text: prompt, pressed } = JSON.parse(body);
  // A chat service wants its answer at once. The turn goes on, and posts when it ends.
  response.end();
  const work = pressed === undefined ? converse(user, prompt) : press(user, pressed);
  turns.add(work);
  await work.catch((error) => service.post({ channel: 'general', text: error.message }));
  turns.delete(work);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}`;
process.stdout.write(`bot: ${url}\n`);
await service.run(url);
await Promise.allSettled(turns);
server.close();
await engine.close();
model.close();
rmSync(storageDirectory, { recursive: true });
