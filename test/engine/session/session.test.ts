import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../../src/approval/approver.js';
import { conditionsFor } from '../../../src/approval/scope.js';
import { makeRuleBook } from '../../../src/approval/rule-book.js';
import { startEngine } from '../plugin-on-disk.js';
import { sessionPlugins } from './plugins.js';

/** A line of the recorded session. */
interface Prompt {
  readonly conversation: string;
  readonly plugin: string;
  readonly tool: string;
  readonly risk: string;
  readonly input: Readonly<Record<string, never>>;
  readonly carefulPersonAllows: boolean;
  readonly because: string;
}

const prompts: readonly Prompt[] = readFileSync(new URL('prompts.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line): Prompt => JSON.parse(line));

/** The hosts of which the operator says, once, that a GET changes nothing there. */
const CLEARED = ['api.weather.example', 'api.papers.example', 'calendar.example'];

describe('a session of fifty calls', () => {
  it('needs twelve questions at most, and allows nothing that a careful person denies', async () => {
    let now: Prompt | undefined;
    const asked: string[] = [];
    /** Answers as the page of approvals does: for the session, with the conditions that it shows. */
    const person = (question: ApprovalRequest) => {
      asked.push(`${question.kind} ${question.id} ${JSON.stringify(question.input)}`);
      if (now?.carefulPersonAllows !== true) return { verdict: 'deny' } as const;
      if (!question.offers.includes('session')) return { verdict: 'once' } as const;
      const input = question.kind === 'effect' ? undefined : conditionsFor([question.input]);
      return {
        verdict: 'session',
        ...(input === undefined ? {} : { input, withoutSecrets: true }),
      } as const;
    };
    const rules = makeRuleBook();
    for (const host of CLEARED) {
      rules.add({
        verdict: 'allow',
        plugin: '*',
        tool: '*',
        bundle: '*',
        effect: { host, method: 'GET' },
      });
    }
    const sent: string[] = [];
    const engine = await startEngine(sessionPlugins(), {
      approve: person,
      tolerance: 'default',
      network: {
        answer: ({ method, url }) => {
          sent.push(`${method} ${url}`);
          return new Response('{}');
        },
      },
    });
    for (const rule of rules.list()) engine.rules.add(rule);

    const wrong: string[] = [];
    const unasked: string[] = [];
    for (const prompt of prompts) {
      now = prompt;
      const before = asked.length;
      const { isError, code } = await engine.call(`${prompt.plugin}:${prompt.tool}`, prompt.input, {
        context: { conversationId: prompt.conversation },
      });
      if (isError === prompt.carefulPersonAllows) {
        wrong.push(`${prompt.tool} ${JSON.stringify(prompt.input)} ${code}: ${prompt.because}`);
      }
      if (!prompt.carefulPersonAllows && asked.length === before) {
        unasked.push(`${prompt.tool} ${code}`);
      }
    }
    expect(wrong).toEqual([]);
    // Its plugin has no permission for that host, so that nobody has to be asked.
    expect(unasked).toEqual(['search_papers NETWORK_DENIED']);
    expect(sent.filter((one) => /evil|payroll|evt_77/.test(one))).toEqual([]);
    expect(asked.length).toBeLessThanOrEqual(12);
    expect(asked).toHaveLength(11);
  });
});
