import { isJsonObject } from '../../sandbox/wire/json.js';
import { type BytePart, parseParts } from '../brokers/powers/bytes.js';
import type { PowerDefinition } from '../brokers/powers/host-powers.js';
import type { CarriedEffect, CarriedUse } from '../engine/call/carried-requests.js';
import type { HeldRequest } from '../approval/approver.js';
import type { RiskBand } from '../plugin/risk.js';
import {
  any,
  array,
  jsonObject,
  number,
  object,
  oneOf,
  optional,
  readShape,
  type Shape,
  string,
  wrong,
} from '../schema/shape.js';
import { parse } from './frame.js';

/** What a runner asks the gateway of a running call. */
export type Asked =
  | { readonly kind: 'effect'; readonly held: CarriedEffect }
  | { readonly kind: 'power'; readonly use: CarriedUse };

/** What the gateway answers. */
export type AskedAnswer =
  /** `digest`: what was allowed. */
  | { readonly is: 'allowed'; readonly digest: string }
  | { readonly is: 'used'; readonly result: ValueWithBytes }
  | { readonly is: 'refused'; readonly message: string };

/** A value whose bytes are apart. */
export interface ValueWithBytes {
  readonly value: unknown;
  readonly parts: readonly BytePart[];
  readonly contents: Uint8Array;
}

export function textOfAsked(asked: Asked): string {
  if (asked.kind === 'effect') return JSON.stringify(asked);
  const { name, ...use } = asked.use;
  return JSON.stringify({
    kind: 'power',
    name,
    ...packed({ value: use.arguments, parts: use.parts, contents: use.contents }),
  });
}

/** Reads the question of a runner, which may be hostile. `undefined`: it is not one. */
export function readAsked(text: string): Asked | undefined {
  const value = parse(text);
  const effect = readShape(effectShape, value, 'ask');
  if (effect.ok) return { kind: 'effect', held: effect.value.held };
  const power = readShape(powerShape, value, 'ask');
  if (!power.ok) return undefined;
  const { name, ...rest } = power.value;
  const read = unpacked(rest);
  if (read === undefined) return undefined;
  const { value: args, parts, contents } = read;
  return { kind: 'power', use: { name, arguments: args, parts, contents } };
}

export function textOfAnswer(answer: AskedAnswer): string {
  if (answer.is !== 'used') return JSON.stringify(answer);
  return JSON.stringify({ is: 'used', ...packed(answer.result) });
}

/** Reads an answer that a gateway signed. `undefined`: it is not one. */
export function readAnswer(text: string): AskedAnswer | undefined {
  const value = parse(text);
  if (!isJsonObject(value)) return undefined;
  const { is, digest, message } = value;
  if (is === 'allowed') return typeof digest === 'string' ? { is, digest } : undefined;
  if (is === 'refused') return typeof message === 'string' ? { is, message } : undefined;
  const used = readShape(usedShape, value, 'answer');
  const result = used.ok ? unpacked(used.value) : undefined;
  return result === undefined ? undefined : { is: 'used', result };
}

interface Packed {
  readonly value?: unknown;
  readonly parts?: unknown;
  /** Base64. */
  readonly bytes?: string;
}

function packed({ value, parts, contents }: ValueWithBytes): Packed {
  if (parts.length === 0) return { value };
  return { value, parts, bytes: Buffer.from(contents).toString('base64') };
}

function unpacked({ value = null, parts, bytes = '' }: Packed): ValueWithBytes | undefined {
  const places = parts === undefined ? [] : parseParts(parts);
  return places && { value, parts: places, contents: Buffer.from(bytes, 'base64') };
}

const risk: Shape<RiskBand> = oneOf('low', 'medium', 'high');

const header: Shape<readonly [string, string]> = {
  read: (value, at, problems) => {
    const [name, text, ...rest]: readonly unknown[] = Array.isArray(value) ? value : [];
    return typeof name === 'string' && typeof text === 'string' && rest.length === 0
      ? { value: [name, text] }
      : wrong('a name and a value', value, at, problems);
  },
};

const heldRequest: Shape<HeldRequest> = object({
  method: string(),
  url: string('a URL', (text) => URL.canParse(text)),
  headers: array(header),
  body: optional(string()),
  bodyBytes: optional(number),
});

const effectShape: Shape<{ readonly kind: string; readonly held: CarriedEffect }> = object({
  kind: string('effect', (text) => text === 'effect'),
  held: object({ effect: heldRequest, risk, riskWhy: string(), why: string(), digest: string() }),
});

const packedMembers = { value: optional(any), parts: optional(any), bytes: optional(string()) };

const powerShape: Shape<{ readonly kind: string; readonly name: string } & Packed> = object({
  kind: string('power', (text) => text === 'power'),
  name: string(),
  ...packedMembers,
});

const usedShape: Shape<{ readonly is: string } & Packed> = object({
  is: string('used', (text) => text === 'used'),
  ...packedMembers,
});

/** A power that a gateway lends, without what implements it. */
export type LentPower = Omit<PowerDefinition, 'handler'>;

const lentPower: Shape<LentPower> = object({
  name: string(),
  description: optional(string()),
  permission: optional(string()),
  arguments: optional(jsonObject),
  result: optional(jsonObject),
  risk: optional(risk),
  timeoutMs: optional(number),
  maxArgumentBytes: optional(number),
  maxResultBytes: optional(number),
});

export const lentPowersShape: Shape<{
  readonly key: string;
  readonly cell: string;
  readonly powers: readonly LentPower[];
}> = object({ key: string(), cell: string(), powers: array(lentPower) });
