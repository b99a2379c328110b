import { isRecord } from '../../../sandbox/wire/json.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import type { Plugin } from '../../plugin/plugin.js';
import { requiresApproval, runsInBackground } from '../approval.js';
import type { Activation, Format, ListingSource } from '../format.js';
import { readAnswer } from './answer.js';
import { MANIFEST_FILE, ownShape } from './package.js';
import { detectServer, readServer } from './read.js';
import { samplingProblems } from './sampling-caps.js';
import { readContributions } from './tool.js';

/** MCP servers as packages of npm: a program that speaks MCP on its standard streams. */
export const mcpServer: Format = {
  name: 'mcp-server',
  manifestFile: MANIFEST_FILE,
  manifestHas: 'a program in bin, and @modelcontextprotocol/sdk in dependencies or the keyword mcp',
  permissionsPlace: 'as "bulkhead": { "permissions": … }',
  permissionsPath: ['bulkhead', 'permissions'],
  manifestShape: ownShape,
  slowStart:
    'the program has to answer on its standard streams: connect the server to a StdioServerTransport, and start slow work later.',
  // A server may act at any time, and its session is its state.
  actsUncalled: true,
  arePrograms: true,
  registersAtRunTime: true,
  pinsListings: true,
  detect: detectServer,
  read: readServer,
  decideActivation,
  readContributions,
  findMistakes: ({ tools, refused, offers }) =>
    tools.length + refused.length > 0 || offers?.prompts === true || offers?.resources === true
      ? []
      : [OFFERS_NOTHING],
  readAnswer,
  requiresApproval,
  runsInBackground,
  list: listServer,
  remedyFor: (message) => (message.includes('the server ended itself') ? WHAT_IT_LACKS : undefined),
};

const OFFERS_NOTHING =
  'the server lists no tools, and offers neither prompts nor resources. What it prints as it starts may say why: bulkhead tools shows that';

const WHAT_IT_LACKS =
  'Its last lines say what it lacks. Give it a variable with --allow env:NAME and --env NAME=VALUE, a host with --allow network:HOST. An accepted server gets a permission with bulkhead update NAME --allow PERMISSION.';

/** A server is active if the operator does not disable it and the variables it requires have values. */
function decideActivation(
  plugin: Plugin,
  raw: unknown,
  variable: (name: string) => string | undefined,
): Activation {
  const given: JsonObject = isRecord(raw) ? JSON.parse(JSON.stringify(raw)) : {};
  const environment = plugin.environment.map(({ name, required }) => ({
    name,
    required,
    configured: (variable(name) ?? '') !== '',
  }));
  const { enabled, args } = given;
  const problems = [
    ...(args === undefined || (Array.isArray(args) && args.every((arg) => typeof arg === 'string'))
      ? []
      : ['args: must be a list of texts']),
    ...samplingProblems(given),
  ];
  const at = `config[${JSON.stringify(plugin.id)}]`;
  const reasons = [
    ...(enabled === false ? [`it is disabled; set ${at}.enabled to true`] : []),
    ...problems.map((problem) => `its configuration is not valid: ${at}.${problem}`),
    ...environment.flatMap(({ name, required, configured }) =>
      required && !configured ? [`the environment variable ${name} is not set; set it`] : [],
    ),
  ];
  return {
    config: reasons.length === 0 ? given : null,
    reasons,
    validationErrors: problems,
    environment,
  };
}

function listServer({
  plugin,
  activation,
  contributions,
}: ListingSource): Readonly<Record<string, unknown>> {
  const tools = Object.values(contributions).flatMap((entry) => entry.tools);
  return {
    name: plugin.id,
    title: plugin.name,
    version: plugin.version ?? '',
    description: plugin.description ?? '',
    mcpName: plugin.about['mcpName'] ?? '',
    homepage: plugin.about['homepage'] ?? '',
    enabled: activation.reasons.length === 0,
    environment: activation.environment,
    tools: tools.map((tool) => ({
      name: tool.toolId,
      title: tool.name,
      description: tool.description,
      inputSchema: tool.parameters.schema,
      annotations: tool.annotations,
    })),
  };
}
