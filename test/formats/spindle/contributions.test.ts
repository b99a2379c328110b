import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NO_PERMISSIONS } from '../../../src/permissions/permissions.js';
import { readContributions } from '../../../src/formats/spindle/contributions.js';
import type { Contributions } from '../../../src/plugin/tool.js';

const context = {
  plugin: { id: 'sample' },
  entry: {
    key: 'tools',
    surface: 'tools',
    file: 'dist/backend.js',
    dialect: 'spindle',
    confinement: 'compartment',
    declared: NO_PERMISSIONS,
    requireApproval: false,
  },
  granted: { ...NO_PERMISSIONS, powers: ['tools'] },
  maxTimeoutMs: 60_000,
} as const;

const read = (answer: unknown): Contributions => readContributions(answer, context);
const tool = (more: object = {}): object => ({
  tool: { name: 't', display_name: 'T', description: 'd', parameters: { type: 'object' }, ...more },
});

describe('Spindle contributions', () => {
  test('have tools with their council fields, which count as writing', () => {
    expect(
      read({ tools: [tool({ council_eligible: true, inline_available: 'yes' })] }).tools,
    ).toEqual([
      expect.objectContaining({
        id: 'sample:t',
        name: 'T',
        timeoutMs: 60_000,
        annotations: { readOnlyHint: false },
        council: { eligible: true, inline: false },
      }),
    ]);
  });

  test('have a shorter timeout if the host allows less', () => {
    const { tools } = readContributions({ tools: [tool()] }, { ...context, maxTimeoutMs: 1000 });
    expect(tools[0]?.timeoutMs).toBe(1000);
  });

  test('report missing fields, and one unreadable tool does not affect the others', () => {
    const { tools, refused, problems } = read({
      tools: [
        tool({ display_name: undefined, description: 7 }),
        tool({ name: 'a:b' }),
        { problem: 'no' },
        'x',
        tool({ name: 'bad', parameters: { $ref: 'https://example.com' } }),
      ],
    });
    expect(tools.map(({ toolId }) => toolId)).toEqual(['t']);
    expect(problems).toEqual([
      'tool "t": display_name: is missing',
      'tool "t": description: is missing',
    ]);
    expect(refused.map(({ code }) => code)).toEqual([
      'INVALID_TOOL',
      'INVALID_TOOL',
      'INVALID_TOOL',
      'INVALID_SCHEMA',
    ]);
  });

  test('report events whose name is nearly one of Lumiverse', () => {
    const events = ['MESAGE_SENT', 'chat_changed', 'Message-Edited', 'MESSAGE_SENT', 'MY_OWN', 'x'];
    expect(read({ registered: { events } }).problems).toEqual([
      'spindle.on: Lumiverse has no event "MESAGE_SENT"; did you mean MESSAGE_SENT?',
      'spindle.on: Lumiverse has no event "chat_changed"; did you mean CHAT_CHANGED?',
      'spindle.on: Lumiverse has no event "Message-Edited"; did you mean MESSAGE_EDITED?',
    ]);
    const many = Array.from({ length: 2_000 }, (_, index) => `MESSAGE_SEN${index}`);
    expect(read({ registered: { events: many } }).problems.length).toBeLessThanOrEqual(50);
  });

  test('S26: have no tools without the permission, whatever the guest sends', () => {
    const without = { ...context, granted: NO_PERMISSIONS };
    expect(readContributions({ tools: [tool()] }, without)).toMatchObject({
      tools: [],
      refused: [],
    });
    expect(read({ tools: [tool()] }).tools).toHaveLength(1);
  });

  test('other than tools are read item by item', () => {
    const { registrations } = read({
      tools: [],
      registered: {
        events: ['MESSAGE_SENT', 7],
        hooks: { interceptor: { priority: 5, timeoutMs: 2000 }, contextHandler: {}, unknown: {} },
        macros: [{ name: 'mood', description: 'd' }, { name: 'Bad Name' }, null],
        endpoints: [{ endpoint: 'sample.a', requires: ['chats', 1] }, { endpoint: 'A' }],
        commands: [{ id: 'c' }, 'x'],
        providers: [{ kind: 'tts', id: 'x' }, { kind: 1 }],
      },
    });
    expect(registrations).toEqual({
      events: ['MESSAGE_SENT'],
      hooks: { interceptor: { priority: 5, timeoutMs: 2000 }, contextHandler: { priority: 100 } },
      macros: [{ name: 'mood', description: 'd' }],
      endpoints: [{ endpoint: 'sample.a', requires: ['chats'] }],
      commands: [{ id: 'c' }],
      providers: [{ kind: 'tts', id: 'x' }],
    });
  });

  test('are valid for any answer of a guest', () => {
    const anything = fc.record(
      {
        tools: fc.oneof(fc.jsonValue(), fc.array(fc.record({ tool: fc.jsonValue() }))),
        registered: fc.oneof(
          fc.jsonValue(),
          fc.dictionary(
            fc.constantFrom('events', 'hooks', 'macros', 'endpoints', 'commands', 'providers'),
            fc.jsonValue(),
          ),
        ),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(anything, fc.jsonValue()), (answer) => {
        const { tools, registrations } = read(answer);
        expect(new Set(tools.map(({ id }) => id)).size).toBe(tools.length);
        const { events = [], macros = [], endpoints = [], providers = [] } = registrations ?? {};
        const texts = [
          ...events,
          ...macros.map(({ name }) => name),
          ...endpoints.flatMap(({ endpoint, requires = [] }) => [endpoint, ...requires]),
          ...providers.flatMap(({ kind, id }) => [kind, id]),
        ];
        expect(texts.filter((text) => typeof text !== 'string')).toEqual([]);
        expect(Object.keys(registrations ?? {}).toSorted()).toEqual(REGISTERED);
        expect(registrations?.events.every((name) => typeof name === 'string')).toBe(true);
        expect(registrations?.macros.every(({ name }) => name === name.toLowerCase())).toBe(true);
      }),
    );
  });
});

const REGISTERED = ['commands', 'endpoints', 'events', 'hooks', 'macros', 'providers'];
