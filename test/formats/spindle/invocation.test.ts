import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  flattenMessages,
  formatMessages,
  prepareInvocation,
  readCouncilMember,
  stripUsers,
} from '../../../src/formats/spindle/invocation.js';
import type { Json, JsonObject } from '../../../src/index.js';

const anything: JsonObject = { type: 'object' };

describe('arguments', () => {
  it('arrive without the three names by which a caller claims to be a user', () => {
    expect(stripUsers({ __userId: 1, __user_id: 2, userId: 3, query: 'q' }, anything)).toEqual({
      query: 'q',
    });
  });

  it('arrive without them even if the schema names them', () => {
    const schema = { type: 'object', properties: { userId: { type: 'string' } } };
    expect(stripUsers({ userId: 'u', a: 1 }, schema)).toEqual({ a: 1 });
  });

  it.each(['UserId', 'user_id', 'USER-ID', '__UserID', 'user id'])(
    'arrive without %s, unless the schema names it',
    (key) => {
      expect(stripUsers({ [key]: 'u', a: 1 }, anything)).toEqual({ a: 1 });
      const schema = { type: 'object', properties: { [key]: { type: 'string' } } };
      expect(stripUsers({ [key]: 'u' }, schema)).toEqual({ [key]: 'u' });
    },
  );

  it('arrive without them below, unless the schema names them there', () => {
    const args = { ctx: { userId: 'u', a: [{ user_id: 'v', b: 1 }] }, who: { userId: 'w' } };
    const schema = {
      type: 'object',
      properties: { who: { type: 'object', properties: { userId: { type: 'string' } } } },
    };
    expect(stripUsers(args, schema)).toEqual({ ctx: { a: [{ b: 1 }] }, who: { userId: 'w' } });
  });

  it('of no other name are touched, and nothing is left that says a user', () => {
    const key = fc.oneof(fc.string(), fc.constantFrom('userId', '__userId', 'user_id', 'UserID'));
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<unknown>(null, 1, 'text', true),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (given) => {
        const args: Json = JSON.parse(JSON.stringify({ given }));
        const text = JSON.stringify(stripUsers(args, anything));
        expect(text).not.toMatch(/"[_\s-]*u[_\s-]*s[_\s-]*e[_\s-]*r[_\s-]*i[_\s-]*d[_\s-]*":/i);
        if (!/user/i.test(JSON.stringify(args))) expect(text).toBe(JSON.stringify(args));
      }),
    );
  });
});

describe('messages of a chat', () => {
  it('have their roles and names, and the text of their parts', () => {
    const image = { type: 'image_url', image_url: { url: 'data:…' } };
    expect(
      flattenMessages([
        { role: 'system', content: 'be brief' },
        {
          role: 'user',
          content: [{ type: 'text', text: 'look: ' }, image, { type: 'text', text: 'this' }],
          name: 'Ann',
        },
        { role: 'assistant', content: [image, { type: 'audio', data: '…' }], id: 7 },
      ]),
    ).toEqual([
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'look: this', name: 'Ann' },
      { role: 'assistant', content: '' },
    ]);
  });

  it.each([undefined, null, {}, 'text', [1], [{ content: 'x' }]])('are not %j', (given) => {
    expect(flattenMessages(given)).toBeUndefined();
  });

  it('are one text: a system’s unchanged, the others after their role', () => {
    expect(
      formatMessages([
        { role: 'system', content: '## Character Information' },
        { role: 'user', content: 'hello' },
        { role: 'assistant', content: 'hi' },
      ]),
    ).toBe('## Character Information\n\nuser: hello\n\nassistant: hi');
  });
});

describe('a council member', () => {
  it('has its twelve fields and no others', () => {
    expect(
      readCouncilMember({ name: 'Lumi', secret: 'x', avatarUrl: 7, genderIdentity: 9 }),
    ).toEqual({
      memberId: '',
      itemId: '',
      packId: '',
      packName: '',
      name: 'Lumi',
      role: '',
      chance: 100,
      avatarUrl: null,
      definition: '',
      personality: '',
      behavior: '',
      genderIdentity: 3,
    });
  });

  it('is an object, never a plain name', () => {
    expect(readCouncilMember('Lumi')).toBeUndefined();
  });
});

describe('what crosses for an invocation', () => {
  const prepare = (input: Json, context?: JsonObject) => {
    const prepared = prepareInvocation({
      callId: 'call_1',
      inputSchema: anything,
      input,
      context,
    });
    return { input: prepared.input, context: prepared.context(5_000) };
  };

  it('is the arguments and the caller, if there is no chat', () => {
    expect(prepare({ context: 'an argument of that name' })).toEqual({
      input: { context: 'an argument of that name' },
      context: { requestId: 'call_1' },
    });
  });

  it('has the chat as messages and as text, and a deadline', () => {
    const contextMessages = [{ role: 'user', content: 'hello' }];
    expect(prepare({}, { requestId: 'r', contextMessages }).context).toEqual({
      requestId: 'r',
      contextMessages,
      context: 'user: hello',
      deadlineMs: 5_000,
    });
    expect(prepare({}, { contextMessages, context: 'the host’s own words' }).context).toMatchObject(
      {
        context: 'the host’s own words',
      },
    );
  });

  it('has a deadline and a text for every council member', () => {
    expect(prepare({}, { councilMember: { name: 'Lumi' } }).context).toMatchObject({
      councilMember: { name: 'Lumi' },
      context: '',
      deadlineMs: 5_000,
    });
  });

  it.each([{ contextMessages: 'hello' }, { contextMessages: [{}] }, { councilMember: 'Lumi' }])(
    'is not %j',
    (context) => {
      expect(() => prepare({}, context)).toThrow(
        expect.objectContaining({ code: 'INVALID_OPTIONS' }),
      );
    },
  );
});
