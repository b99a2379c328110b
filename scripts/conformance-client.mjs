// The client that MCP's conformance tests start: an engine with the test's server as a remote. It logs in when
// the server requires that, lists the tools, and calls each of them once. A person is played by a request to the
// login page. Arguments: the server's URL. The environment names the scenario.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from '../dist/lib/index.js';

const url = process.argv.at(-1);
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}');
const storageDirectory = mkdtempSync(join(tmpdir(), 'bulkhead-conformance-client-'));

const { client_id: clientId, client_secret: clientSecret } = context;
const registered = {
  ...(typeof clientId === 'string' ? { clientId } : {}),
  ...(typeof clientSecret === 'string' ? { clientSecret } : {}),
  // The document that the tests expect.
  clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
};
const engine = await createEngine({
  plugins: [],
  storageDirectory,
  tolerance: 'full',
  approve: () => ({ outcome: 'allowed' }),
  remotes: [
    {
      mcp: url,
      id: 'tested',
      allow: { elicitation: true },
      ...(scenario.startsWith('auth/') ? { oauth: registered } : {}),
    },
  ],
  remotesWaitMs: 15_000,
});

/** Opens the page and follows it back, as a browser does. */
const show = async (page) => {
  const { headers } = await fetch(page, { redirect: 'manual' });
  void fetch(headers.get('location') ?? '').catch(() => {});
};
const logIn = () => engine.logIn('tested', { show, signal: AbortSignal.timeout(10_000) });

/** A person who submits the form as it is shown. */
const elicit = async ({ requestedSchema }) => ({
  action: 'accept',
  content: Object.fromEntries(
    Object.entries(requestedSchema?.properties ?? {}).flatMap(([name, field]) =>
      'default' in field ? [[name, field.default]] : [],
    ),
  ),
});

const inputOf = ({ properties = {} }) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, { type }]) => [name, type === 'number' ? 2 : 'text']),
  );

try {
  if (scenario.startsWith('auth/')) {
    await logIn();
    await engine.reload();
  }
  for (const { name, inputSchema } of engine.catalog.list()) {
    const call = () => engine.call(name, inputOf(inputSchema), { client: { elicit } });
    const first = JSON.stringify(await call());
    console.log(name, first.slice(0, 300));
    // A person grants more once, and only once.
    if (first.includes('--login')) {
      await logIn();
      console.log(name, JSON.stringify(await call()).slice(0, 300));
    }
  }
  const [problem] = engine.plugins()[0]?.problems ?? [];
  if (problem !== undefined) console.log(problem.message);
} finally {
  await engine.close();
  rmSync(storageDirectory, { recursive: true, force: true });
}
