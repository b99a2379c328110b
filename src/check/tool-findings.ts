import { isRecord } from '../../sandbox/wire/json.js';
import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { InspectedTool } from '../engine/inspect-plugin.js';
import { findSchemaMistakes } from '../schema/mistakes.js';
import type { CheckFinding } from './finding.js';

/** What one tool costs each turn of a model that sees it. */
export interface ToolCost {
  readonly tool: string;
  /** Estimated: 4 characters of JSON a token. */
  readonly tokens: number;
}

const CHARACTERS_PER_TOKEN = 4;

/** Above this, ten such tools cost more than a long conversation. */
const MANY_TOKENS = 1_000;

export function costOf(tool: string, { texts }: InspectedTool): ToolCost {
  const schema: unknown = JSON.parse(texts.schema);
  const { length } = JSON.stringify({ name: tool, description: texts.description, schema });
  return { tool, tokens: Math.ceil(length / CHARACTERS_PER_TOKEN) };
}

/** Mistakes in the schemas, names and descriptions of tools. */
export function toolFindings(
  plugin: string,
  tools: Readonly<Record<string, InspectedTool>>,
  file: string | undefined,
): readonly CheckFinding[] {
  const place = file === undefined ? {} : { file };
  return Object.entries(tools).flatMap(([tool, inspected]): CheckFinding[] => {
    const { description, schema } = inspected.texts;
    const { tokens } = costOf(tool, inspected);
    return [
      ...schemaFindings(tool, schema).map((finding) => ({ ...finding, ...place })),
      ...nameFindings(plugin, tool).map((finding) => ({ ...finding, ...place })),
      ...(description.trim() === ''
        ? [
            {
              rule: 'tool-text',
              level: 'warning',
              message: `The tool ${tool} has no description, so a model cannot know when to use it.`,
              fix: 'Write one or two sentences: what it does, and what it returns.',
              ...place,
            } as const,
          ]
        : []),
      ...(tokens > MANY_TOKENS
        ? [
            {
              rule: 'tool-cost',
              level: 'note',
              message: `The tool ${tool} costs about ${tokens} tokens in every turn.`,
              fix: 'Shorten its description and its schema.',
              ...place,
            } as const,
          ]
        : []),
    ];
  });
}

function schemaFindings(tool: string, text: string): readonly CheckFinding[] {
  const schema: JsonObject = JSON.parse(text);
  const findings = findSchemaMistakes(schema).map(({ place, message, fatal }): CheckFinding => {
    const [what = message, meant] = message.split(/ (?=Did you mean )/);
    return {
      rule: 'schema',
      level: fatal ? 'error' : 'warning',
      message: `The schema of the tool ${tool}: ${place} ${what}`,
      ...(meant === undefined ? {} : { fix: meant }),
    };
  });
  const { type } = schema;
  if (findings.length > 0 || type === 'object' || type === undefined || isUnion(schema)) {
    return findings;
  }
  return [
    {
      rule: 'schema',
      level: 'warning',
      message: `The schema of the tool ${tool} has the type ${JSON.stringify(type)}. Models send objects.`,
      fix: 'Write "type": "object" with "properties".',
    },
  ];
}

function isUnion(schema: JsonObject): boolean {
  return Array.isArray(schema['type']) || isRecord(schema['$ref']);
}

/** Names that every model's API accepts. */
const ACCEPTED = /^[a-zA-Z0-9_-]{1,64}$/;

function nameFindings(plugin: string, tool: string): readonly CheckFinding[] {
  if (ACCEPTED.test(tool) && plugin.length + 2 + tool.length <= 64) return [];
  const why = ACCEPTED.test(tool)
    ? `${plugin}__${tool} has more than 64 characters`
    : `${JSON.stringify(tool)} has characters other than letters, digits, "_" and "-"`;
  return [
    {
      rule: 'tool-name',
      level: 'note',
      message: `Models do not accept the name of the tool ${tool}: ${why}. It is offered under a changed name.`,
      fix: 'Rename the tool.',
    },
  ];
}
