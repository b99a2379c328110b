import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serveTools } from './served.js';

const served = await serveTools();
const bearer = await served.bearer();

describe('any POST', () => {
  it('is answered in the form of the protocol, and runs only tools that exist', async () => {
    const ids = fc.oneof(fc.string(), fc.constant('u'), fc.jsonValue());
    const names = fc.oneof(
      fc.constantFrom('sample__echo', 'sample__text', '__proto__'),
      fc.string(),
    );
    const bodies = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record({
          tool_use: fc.record(
            { id: ids, tool_name: names, tool_input: fc.jsonValue() },
            { requiredKeys: [] },
          ),
          metadata: fc.jsonValue(),
        })
        .map((value) => JSON.stringify(value)),
    );
    await fc.assert(
      fc.asyncProperty(bodies, fc.boolean(), async (body, trusted) => {
        const answer = await served.post(body, trusted ? bearer : {});
        expect(typeof answer.body['tool_use_id']).toBe('string');
        if (answer.status === 200) {
          expect(trusted).toBe(true);
          expect(typeof answer.body['content']).toBe('string');
        } else {
          expect(answer.body['status']).toBe(answer.status);
          expect(trusted ? [400, 404] : [401]).toContain(answer.status);
        }
      }),
    );
  });
});
