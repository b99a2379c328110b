// Sends each denial and approval of an engine to another system, as it happens: here to standard output.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createEngine } from 'bulkhead';

const directory = mkdtempSync(join(tmpdir(), 'audit-pipeline-'));
const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const engine = await createEngine({
  plugins: [path('../expenses'), path('../../fixtures/hostile/escape-artist')],
  grant: 'declared',
  tolerance: 'default',
  storageDirectory: join(directory, 'storage'),
  audit: { file: join(directory, 'audit.jsonl') },
  approve: ({ plugin }) => ({ verdict: plugin === 'expenses' ? 'deny' : 'once', by: 'example' }),
});
const types = new Set(['capability-denied', 'approval-refused', 'call-ended']);
const pipeline = (async () => {
  for await (const record of engine.audit.stream({}))
    if (types.has(record.type)) process.stdout.write(`${JSON.stringify(record)}\n`);
})();

await engine.call('expenses__list', {});
await engine.call('expenses__pay', { id: 'e1' });
await engine.call('escape-artist__escape', { attempt: 'a file above its own directory' });
await engine.audit.flush();
const { ok, records } = await engine.audit.verify();
await engine.close();
await pipeline;
process.stdout.write(`${JSON.stringify({ chainIntact: ok, records })}\n`);
rmSync(directory, { recursive: true });
