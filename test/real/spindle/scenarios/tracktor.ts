import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

/** Its templates are generated code, which Lumiverse refuses and a compartment runs: docs/spindle.md. */
const rendered = 'the templates are rendered here';

export const scenario: SpindleScenario = usual(
  [
    'object',
    'array',
    'number',
    'integer',
    'boolean',
    'string',
    'ready',
    'refresh_state',
    'get_state',
    'save_settings',
    'set_chat_schema',
    'generate_tracker',
    'regenerate_tracker',
    'regenerate_part',
    'edit_snapshot',
    'update_tracker',
    'delete_snapshot',
    'delete_tracker',
    'cancel_job',
    'toggle_injection',
    'SubExpression',
    'MustacheStatement',
    'BlockStatement',
    'undefined',
    'PartialStatement',
    'ContentStatement',
    'Program',
    'PathExpression',
    'NumberLiteral',
    'BooleanLiteral',
    'helper',
    'simple',
    'BlockParam',
    'DecoratorBlock',
  ],
  { known: { 18: rendered, 19: rendered, 20: rendered, 21: rendered, 23: rendered } },
);
