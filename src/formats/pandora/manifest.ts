import { type ManifestPermissions, permissionsShape } from '../manifest-permissions.js';
import { parseJsonText } from '../../schema/json-text.js';
import {
  type Shape,
  type ShapeResult,
  array,
  boolean,
  object,
  oneOf,
  oneOrMore,
  optional,
  readShape,
  string,
} from '../../schema/shape.js';

/**
 * `pandora.manifest.json`, version 1. As in the original, unknown keys are refused at the top and
 * dropped below it. `schemas/pandora.schema.json` has the same rules for editors; a test compares them.
 */
export interface PandoraManifest {
  readonly $schema?: string;
  readonly manifestVersion: 1;
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly author?: string;
  readonly icon?: string;
  readonly version?: string;
  readonly homepage?: string;
  readonly repository?: string;
  readonly license?: string;
  /** The compatible versions of Pandora. Not checked. */
  readonly pandora: string;
  readonly provides: {
    readonly tools?: readonly PandoraToolEntry[];
    readonly agents?: readonly PandoraAgentEntry[];
    readonly channels?: readonly PandoraToolEntry[];
  };
  readonly envVars?: readonly { readonly name: string; readonly required?: boolean }[];
  readonly configFields?: readonly PandoraConfigField[];
}

export interface PandoraToolEntry {
  readonly entry: string;
  readonly sandbox?: 'compartment' | 'host';
  readonly permissions?: ManifestPermissions;
  readonly requireApproval?: boolean;
  /** Hints for Bulkhead. Pandora ignores them. */
  readonly bulkhead?: { readonly stateless?: boolean };
}

export interface PandoraAgentEntry {
  readonly entry: string;
  readonly useTools?: readonly string[];
  readonly modelTools?: readonly string[];
}

export interface PandoraConfigField {
  readonly key: string;
  readonly label: string;
  readonly type: 'text' | 'number' | 'password' | 'enum';
  readonly required?: boolean;
  readonly placeholder?: string;
  readonly description?: string;
  readonly options?: readonly { readonly value: string; readonly label: string }[];
}

/** Reads a manifest's text. Problems are named by their path in the manifest. */
export function parseManifest(text: string): ShapeResult<PandoraManifest> {
  const data = parseJsonText(text);
  return data.ok
    ? readShape(manifestShape, data.value, 'manifest')
    : { ok: false, problems: [`manifest: ${data.problem}`] };
}

const toolEntry: Shape<PandoraToolEntry> = object({
  entry: string(),
  sandbox: optional(oneOf('compartment', 'host')),
  permissions: optional(permissionsShape),
  requireApproval: optional(boolean),
  bulkhead: optional(object({ stateless: optional(boolean) })),
});

const agentEntry: Shape<PandoraAgentEntry> = object({
  entry: string(),
  useTools: optional(array(string())),
  modelTools: optional(array(string())),
});

const configField: Shape<PandoraConfigField> = object({
  key: string(),
  label: string(),
  type: oneOf('text', 'number', 'password', 'enum'),
  required: optional(boolean),
  placeholder: optional(string()),
  description: optional(string()),
  options: optional(array(object({ value: string(), label: string() }))),
});

// An id is part of names, logs and messages, so it has no control characters.
// oxlint-disable-next-line no-control-regex -- exactly these characters are what is refused
const ID = /^[^:\u0000-\u001f\u007f]{1,200}$/u;
const RANGE = /^[><=~^]/;

export const manifestShape: Shape<PandoraManifest> = object(
  {
    $schema: optional(string()),
    manifestVersion: oneOf(1),
    id: string('a text of 1 to 200 characters without ":"', (text) => ID.test(text)),
    name: string(),
    description: optional(string()),
    author: optional(string()),
    icon: optional(string()),
    version: optional(string()),
    homepage: optional(string()),
    repository: optional(string()),
    license: optional(string()),
    pandora: string('a range like ">=1.0.0" or "^1.0.0"', (text) => RANGE.test(text)),
    provides: object({
      tools: optional(oneOrMore(toolEntry)),
      agents: optional(oneOrMore(agentEntry)),
      channels: optional(oneOrMore(toolEntry)),
    }),
    envVars: optional(array(object({ name: string(), required: optional(boolean) }))),
    configFields: optional(array(configField)),
  },
  'refuse',
);
