/** A command line of the scenario. `--json` is added. */
export interface Step {
  /** The output's name in docs/cli-output.schema.json. */
  readonly output: string;
  readonly args: readonly string[];
  readonly stdin?: string;
  /** Changes files before the command runs. */
  readonly files?: Readonly<Record<string, string>>;
}

const manifest = (id: string, version: string, permissions: object): string =>
  JSON.stringify({
    manifestVersion: 1,
    id,
    name: id,
    version,
    pandora: '>=1',
    provides: { tools: { entry: './index.js', permissions } },
  });

const tools = (code = ''): string => `export const tools = [
  { id: 'greet', name: 'Greet', description: 'Greets.', annotations: { readOnlyHint: true },
    parameters: { type: 'object', properties: { name: { type: 'string' } } },
    execute: async ({ name }) => { ${code} return 'hello ' + name } },
  { id: 'wipe', name: 'Wipe', description: 'Wipes.', annotations: { readOnlyHint: false },
    parameters: { type: 'object' },
    execute: async () => { await storage.write('a', 'b'); return 'gone' } },
  { id: 'peek', name: 'Peek', description: 'Peeks.', annotations: { readOnlyHint: true },
    parameters: { type: 'object' },
    execute: async () => { try { await fetch('https://api.example.com/x') } catch {} return 1 } },
];`;

/** The plugins of the scenario: one of Pandora, one that does not load, and one of Vellum. */
export const FILES: Readonly<Record<string, string>> = {
  'notes/pandora.manifest.json': manifest('notes', '1.0.0', { storage: true }),
  'notes/index.js': tools(),
  'bad/pandora.manifest.json': manifest('bad', '1.0.0', { network: ['x/y'] }),
  'bad/index.js': 'export const tools = t',
  'vel/package.json': JSON.stringify({
    name: 'vel',
    version: '1.0.0',
    peerDependencies: { '@vellumai/plugin-api': '^0.8.0' },
  }),
  'vel/hooks/pre-model-call.ts': 'export default async (context) => ({ ...context });',
  'vel/tools/echo.ts': `export default { description: 'Echoes.', defaultRiskLevel: 'low',
    input_schema: { type: 'object' }, execute: async () => ({ content: 'x', isError: false }) };`,
  'program.ts': `return await tools.notes.greet({ name: 'Ada' });`,
  'script.json': JSON.stringify({
    turns: [
      {
        prompt: 'Greet Ada.',
        replies: [
          {
            content: [{ type: 'tool_use', id: 't1', name: 'greet', input: { name: 'Ada' } }],
            stopReason: 'tool_use',
          },
          'Done.',
        ],
      },
    ],
  }),
};

const LOG = ['--file', 'audit.log'];

/** Commands that follow one another. Every command with `--json` that ends by itself is here or in its own test. */
export const STEPS: readonly Step[] = [
  { output: 'init', args: ['init', 'fresh', '--format', 'pandora'] },
  { output: 'call', args: ['call', 'notes', 'greet', '--input', '{"name":"Ada"}'] },
  { output: 'call', args: ['call', 'notes', 'peek'] },
  { output: 'call', args: ['call', 'notes', 'wipe', '--yes', '--record', 'one.recording'] },
  { output: 'call', args: ['call', 'notes', 'wipe', '--yes', '--dry-run'] },
  { output: 'call --ask', args: ['call', 'notes', 'wipe', '--ask'] },
  { output: 'failure', args: ['call', 'notes', 'nope'] },
  { output: 'failure', args: ['call', 'bad', 'run'] },
  {
    output: 'batch',
    args: ['batch'],
    stdin:
      '{"id":7,"plugin":"notes","tool":"greet","input":{"name":"x"}}\n{"plugin":"notes","tool":"nope"}\n',
  },
  {
    output: 'run-program',
    args: ['run-program', 'program.ts', 'notes', '--tool', 'notes__greet', '--yes'],
  },
  { output: 'tools', args: ['tools', 'notes'] },
  { output: 'tools', args: ['tools', 'notes', 'bad'] },
  {
    output: 'hook',
    args: ['hook', 'pre-model-call', 'vel', '--context', '{"conversationId":"c1"}'],
  },
  { output: 'inspect', args: ['inspect', 'notes'] },
  { output: 'inspect', args: ['inspect', 'bad'] },
  { output: 'inspect', args: ['inspect', 'vel'] },
  { output: 'inspect --suggest', args: ['inspect', 'notes', '--suggest'] },
  { output: 'check', args: ['check', 'notes', 'bad'] },
  { output: 'add', args: ['add', 'notes', '--yes'] },
  { output: 'add several', args: ['add', 'bad', 'vel', '--yes'] },
  { output: 'list', args: ['list'] },
  {
    output: 'list',
    args: ['list'],
    files: {
      'notes/pandora.manifest.json': manifest('notes', '1.1.0', { storage: true, time: true }),
      'notes/index.js': tools('Date.now();'),
    },
  },
  { output: 'diff', args: ['diff', 'notes'] },
  { output: 'diff', args: ['diff', 'notes', '--code'] },
  { output: 'failure', args: ['update', 'notes'] },
  { output: 'update', args: ['update', 'notes', '--accept'] },
  { output: 'update several', args: ['update', '--accept'] },
  { output: 'disable', args: ['disable', 'notes'] },
  { output: 'enable', args: ['enable', 'notes'] },
  { output: 'rollback', args: ['rollback', 'notes'] },
  { output: 'remove', args: ['remove', 'vel', '--storage'] },
  { output: 'pack', args: ['pack', 'notes'] },
  { output: 'keys new', args: ['keys', 'new', 'sign', '--out', 'k.pem'] },
  { output: 'keys new', args: ['keys', 'new', 'token'] },
  { output: 'keys new', args: ['keys', 'new', 'identity', '--out', 'identity.json'] },
  { output: 'keys rotate', args: ['keys', 'rotate', 'k.pem'] },
  { output: 'keys show', args: ['keys', 'show', 'k.pem'] },
  { output: 'keys show', args: ['keys', 'show', 'k.pub'] },
  { output: 'pack', args: ['pack', 'notes', '--sign', 'k.pem'] },
  {
    output: 'keys require',
    args: ['keys', 'require', 'k.pub', '--plugin', 'notes', '--trust', 'trust.json'],
  },
  {
    output: 'keys revoke',
    args: ['keys', 'revoke', `sha512-${'A'.repeat(86)}==`, '--trust', 'trust.json'],
  },
  {
    output: 'call',
    args: ['call', 'notes', 'greet', '--input', '{"name":"x"}', '--audit', 'audit.log'],
  },
  { output: 'rules test', args: ['rules', 'test', 'notes__wipe', 'notes'] },
  { output: 'explain', args: ['explain', 'NETWORK_DENIED'] },
  { output: 'explain all', args: ['explain'] },
  { output: 'audit record', args: ['audit', ...LOG] },
  { output: 'audit verify', args: ['audit', 'verify', ...LOG] },
  {
    output: 'audit verify broken',
    args: ['audit', 'verify', '--file', 'broken.log'],
    files: { 'broken.log': '{"v":2,"seq":0}\n' },
  },
  { output: 'audit anchor', args: ['audit', 'anchor', ...LOG] },
  { output: 'why', args: ['why', 'CALL', ...LOG] },
  { output: 'replay', args: ['replay', 'one.recording'] },
  {
    output: 'replay',
    args: ['replay', 'one.recording', '--plugin', 'notes'],
    files: { 'notes/index.js': tools().replace("'b'", "'c'") },
  },
  { output: 'report', args: ['report', 'notes', ...LOG] },
  { output: 'chat', args: ['chat', '--plugins', 'notes', '--script', 'script.json'] },
  { output: 'doctor', args: ['doctor'] },
  { output: 'walls', args: ['walls'] },
  { output: 'store gc', args: ['store', 'gc'] },
  { output: 'serve --check-config', args: ['serve', '--plugins', 'notes', '--check-config'] },
  { output: 'serve --check-config', args: ['serve', '--plugins', 'bad', '--check-config'] },
];
