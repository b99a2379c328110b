import type { JsonObject } from '../../../sandbox/wire/messages.js';
import type { Registrations, RegisteredHook, RegisteredMacro } from '../../plugin/registrations.js';
import { isObject } from '../../schema/shape.js';
import { cutText } from '../pandora/text.js';

/**
 * Reads what a guest answered that is registered, besides tools. None of it is believed; what cannot
 * be read is left out. Never throws.
 */
export function readRegistrations(answer: unknown): Registrations {
  const given = isObject(answer) ? answer : {};
  return {
    events: listIn(given, 'events').flatMap(textOf),
    hooks: readHooks(given['hooks']),
    macros: listIn(given, 'macros').flatMap(readMacro),
    endpoints: listIn(given, 'endpoints').flatMap((item) => {
      const { endpoint, requires } = isObject(item) ? item : {};
      if (typeof endpoint !== 'string' || !ENDPOINT.test(endpoint)) return [];
      return [{ endpoint, requires: (Array.isArray(requires) ? requires : []).flatMap(textOf) }];
    }),
    commands: listIn(given, 'commands').slice(0, MAX_COMMANDS).flatMap(objectOf),
    providers: listIn(given, 'providers').flatMap((item) => {
      const { kind, id } = isObject(item) ? item : {};
      return typeof kind === 'string' && typeof id === 'string'
        ? [{ kind: cutText(kind, MAX_TEXT), id: cutText(id, MAX_TEXT) }]
        : [];
    }),
  };
}

/** Of each kind; the guest holds itself to as many. */
const MAX_ITEMS = 1_000;
const MAX_COMMANDS = 20;
const MAX_TEXT = 500;
const ENDPOINT = /^[a-z][a-z0-9_]{0,127}(?:\.[a-z0-9][a-z0-9_-]{0,127}){1,8}$/;
const MACRO = /^[a-z0-9_:.-]{1,128}$/;

const HOOKS = [
  'interceptor',
  'contextHandler',
  'macroInterceptor',
  'worldInfoInterceptor',
  'contentProcessor',
];

function listIn(given: Readonly<Record<string, unknown>>, key: string): readonly unknown[] {
  const list = given[key];
  return Array.isArray(list) ? list.slice(0, MAX_ITEMS) : [];
}

function textOf(value: unknown): readonly string[] {
  return typeof value === 'string' ? [cutText(value, MAX_TEXT)] : [];
}

function objectOf(value: unknown): readonly JsonObject[] {
  if (!isObject(value)) return [];
  const copy: JsonObject = JSON.parse(JSON.stringify(value));
  return [copy];
}

function readHooks(written: unknown): Readonly<Record<string, RegisteredHook>> {
  if (!isObject(written)) return {};
  return Object.fromEntries(
    HOOKS.flatMap((kind) => {
      const hook = Object.hasOwn(written, kind) ? written[kind] : undefined;
      if (!isObject(hook)) return [];
      const { priority, timeoutMs } = hook;
      return [
        [
          kind,
          {
            priority: typeof priority === 'number' ? priority : 100,
            ...(typeof timeoutMs === 'number' ? { timeoutMs } : {}),
          },
        ] as const,
      ];
    }),
  );
}

function readMacro(item: unknown): readonly RegisteredMacro[] {
  const { name, category, description } = isObject(item) ? item : {};
  if (typeof name !== 'string' || !MACRO.test(name)) return [];
  return [
    {
      name,
      ...(typeof category === 'string' ? { category: cutText(category, MAX_TEXT) } : {}),
      ...(typeof description === 'string' ? { description: cutText(description, MAX_TEXT) } : {}),
    },
  ];
}
