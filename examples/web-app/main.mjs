// A web app: a member asks the assistant, an approver answers on a page of their own.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createEngine, textOf } from 'bulkhead';

const tenant = 'acme';
const storageDirectory = process.env.DATA ?? mkdtempSync(join(tmpdir(), 'web-app-'));
mkdirSync(storageDirectory, { recursive: true });
const engine = await createEngine({
  plugins: [fileURLToPath(new URL('../expenses', import.meta.url))],
  grant: 'declared',
  tolerance: 'default',
  storageDirectory,
});

// Your sign-in goes here. Two links stand for two people: what a link opens is decided on the server.
const people = new Map([
  [randomBytes(16).toString('hex'), { name: 'bob', mayApprove: false }],
  [randomBytes(16).toString('hex'), { name: 'ann', mayApprove: true }],
]);

const escape = (value) => String(value).replaceAll(/[&<>"']/g, (c) => `&#${c.codePointAt(0)};`);
const form = (fields, button) =>
  `<form method="post">${Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escape(value)}">`)
    .join('')}<button>${escape(button)}</button></form>`;

async function memberPage(person, fields) {
  const id = fields.get('pay');
  const approval = fields.get('approval');
  let note = '';
  if (id !== null && approval === null) {
    // The page keeps only the id of the question. It proves nothing: the engine looks for the answer.
    const waits = await engine.approvals.request(
      'expenses__pay',
      { id },
      { tenant, asker: person.name },
    );
    note = `<p>Waits for an approver.</p>${form({ pay: id, approval: waits }, 'Continue')}`;
  } else if (id !== null) {
    const result = await engine.call('expenses__pay', { id }, { tenant, approval });
    note = `<p id="result">${escape(textOf(result.content))}</p>`;
    if (result.code === 'APPROVAL_REQUIRED') note += form({ pay: id, approval }, 'Continue');
  }
  const list = await engine.call('expenses__list', {}, { tenant });
  return `<h1>Expenses</h1>${note}<pre>${escape(textOf(list.content))}</pre>${form({ pay: 'e1' }, 'Pay e1')}${form({ pay: 'e2' }, 'Pay e2')}`;
}

async function approverPage(person, fields) {
  const approvalId = fields.get('approval');
  if (approvalId !== null) {
    const found = engine.approvals.get(approvalId);
    if (found?.question.tenant !== tenant) return '<p>There is no such question.</p>';
    const verdict = fields.get('verdict') === 'once' ? 'once' : 'deny';
    await engine.approvals.answer(approvalId, {
      verdict,
      digest: fields.get('digest') ?? '', // of the question that the page displayed
      by: person.name,
      approver: 'person',
    });
  }
  const questions = engine.approvals.list({ tenant }).map(
    ({ approvalId: approval, id, risk, shown, asker, digest }) =>
      `<li>${escape(asker)}: ${escape(id)} (${risk} risk)<pre>${escape(shown)}</pre>
       ${form({ approval, digest, verdict: 'once' }, 'Approve')}${form({ approval, digest, verdict: 'deny' }, 'Deny')}`,
  );
  return `<h1>Approvals</h1><ul>${questions.join('')}</ul>`;
}

const server = createServer(async (request, response) => {
  const person = people.get(request.url.slice(1));
  let status = 404;
  let page = '<p>Not found.</p>';
  try {
    if (
      !(Number(request.headers['content-length'] ?? 0) <= 10_000) ||
      request.headers['transfer-encoding']
    ) {
      [status, page] = [413, '<p>Too large.</p>'];
    } else if (person !== undefined) {
      const fields = new URLSearchParams(request.method === 'POST' ? await text(request) : '');
      page = person.mayApprove
        ? await approverPage(person, fields)
        : await memberPage(person, fields);
      status = 200;
    }
  } catch (error) {
    [status, page] = [400, `<p>${escape(error.message)}</p>`];
  }
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; form-action 'self'",
    'referrer-policy': 'no-referrer',
  });
  response.end(`<!doctype html><title>Expenses</title>${page}`);
});
await new Promise((resolve) => server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', resolve));
for (const [key, { name }] of people)
  process.stdout.write(`${name}: http://127.0.0.1:${server.address().port}/${key}\n`);

process.once('SIGTERM', () => void engine.close().then(() => process.exit(0)));
