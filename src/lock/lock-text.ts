import {
  array,
  oneOf,
  record,
  readShape,
  type Shape,
  type ShapeResult,
  string,
} from '../schema/shape.js';
import { object, optional } from '../schema/shape-object.js';
import { compactShape } from './compact.js';
import type { Lock, LockedPlugin, LockedTool, Pin } from './lock.js';

/** Reads the text of a lock file, all of it or nothing. */
export function parseLock(text: string): ShapeResult<Lock> {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 200) : String(error);
    return { ok: false, problems: [`lock: is not JSON: ${why}`] };
  }
  return readShape(lockShape, data, 'lock');
}

/** The text of a lock: sorted, so that two people who add two plugins change two places. */
export function formatLock(lock: Lock): string {
  const plugins = sorted(lock.plugins, (plugin) => {
    const { format, source, disabled, earlier, ...pin } = plugin;
    return {
      format,
      source,
      ...(disabled === undefined ? {} : { disabled }),
      ...writtenPin(pin),
      ...(earlier === undefined || earlier.length === 0
        ? {}
        : { earlier: earlier.map(writtenPin) }),
    };
  });
  return `${JSON.stringify({ version: 1, plugins }, undefined, 2)}\n`;
}

function writtenPin(pin: Pin): Pin {
  return {
    ...(pin.version === undefined ? {} : { version: pin.version }),
    granted: pin.granted,
    ...(pin.declared === undefined ? {} : { declared: pin.declared }),
    ...(pin.trustHints === undefined ? {} : { trustHints: pin.trustHints }),
    ...(pin.unconfined === undefined ? {} : { unconfined: pin.unconfined }),
    hosts: pin.hosts.toSorted(),
    tools: sorted(pin.tools, (tool) => tool),
    bundles: sorted(pin.bundles, (hash) => hash),
    kept: pin.kept,
    by: pin.by,
    at: pin.at,
  };
}

function sorted<From, To>(
  of: Readonly<Record<string, From>>,
  write: (value: From) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(
    Object.entries(of)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => [key, write(value)]),
  );
}

const yes: Shape<true> = {
  read: (value, at, problems) => {
    if (value === true) return { value };
    problems.push(`${at}: must be true, or left out`);
    return undefined;
  },
};
const time = string('a time in ISO 8601', (text) => !Number.isNaN(Date.parse(text)));
const address = string('sha256- and 64 hexadecimal digits', (text) =>
  /^sha256-[0-9a-f]{64}$/.test(text),
);

const toolShape: Shape<LockedTool> = object(
  {
    risk: oneOf('low', 'medium', 'high'),
    asks: optional(yes),
    description: string(),
    schema: string(),
  },
  'refuse',
);

const pinFields = {
  version: optional(string()),
  bundles: record(string()),
  kept: address,
  granted: compactShape,
  declared: optional(compactShape),
  trustHints: optional(yes),
  unconfined: optional(yes),
  tools: record(toolShape),
  hosts: array(string()),
  by: string(),
  at: time,
};

const pinShape: Shape<Pin> = object(pinFields, 'refuse');

const pluginShape: Shape<LockedPlugin> = object(
  {
    ...pinFields,
    format: oneOf('pandora', 'spindle', 'vellum'),
    source: string('a path', (text) => text !== ''),
    disabled: optional(yes),
    earlier: optional(array(pinShape)),
  },
  'refuse',
);

const lockShape: Shape<Lock> = object(
  { version: oneOf(1), plugins: record(pluginShape) },
  'refuse',
);
