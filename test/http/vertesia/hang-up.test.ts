import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { startServer } from '../../../src/http/server.js';
import { makePlugin, silentLogger, startEngine } from '../../engine/plugin-on-disk.js';
import { makeIssuer } from '../issuer.js';

const CALLS = 200;

describe('a server whose clients hang up', () => {
  it.each([{}, { isolation: { sample: 'tenant' } }] as const)(
    'answers each call of another account (%j)',
    async (options) => {
      const tools = {
        hang: '() => new Promise(() => {})',
        sleep: '({ ms }) => new Promise((resolve) => setTimeout(() => resolve(ms), ms))',
      };
      const plugin = makePlugin({ tools, permissions: { time: true } });
      const engine = await startEngine([plugin], options);
      let givenUp = 0;
      engine.on((event) => {
        if (event.type === 'call-ended' && event.code === 'CANCELLED') givenUp += 1;
      });
      const issuer = await makeIssuer();
      const headersOf = async (id: string): Promise<Record<string, string>> => {
        const token = await issuer.token({ claims: { account: { id } } });
        return { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      };
      const [rude, polite] = [await headersOf('rude'), await headersOf('polite')];
      issuer.publish('es');
      const server = await startServer(
        engine,
        {
          port: 0,
          vertesia: { path: '/tools' },
          tokens: {
            jwks: [{ issuer: issuer.url, jwks: issuer.jwks }],
            audience: ['tools'],
          },
        },
        silentLogger,
      );
      const bodyOf = (tool: string, input: object): string =>
        JSON.stringify({
          tool_use: { id: '1', tool_name: `sample__${tool}`, tool_input: input },
        });
      const url = `${server.url}/tools`;
      const isOver = new AbortController();
      let attacks = 0;
      /** Sends a call, and closes the connection when the tool runs. */
      const hangUp = (): Promise<void> =>
        new Promise((resolve) => {
          const sent = request(url, { method: 'POST', agent: false, headers: rude });
          sent.on('error', () => {});
          sent.on('close', resolve);
          sent.end(bodyOf('hang', {}), () => setTimeout(() => sent.destroy(), 20));
        });
      const attack = async (): Promise<void> => {
        while (!isOver.signal.aborted) {
          await hangUp();
          attacks += 1;
        }
      };
      const attackers = [attack(), attack(), attack()];
      const call = async (): Promise<unknown> => {
        const body = bodyOf('sleep', { ms: 100 });
        const response = await fetch(url, { method: 'POST', headers: polite, body });
        return [response.status, await response.json()];
      };
      const answers: unknown[] = [];
      for (let round = 0; round < CALLS / 10; round += 1) {
        answers.push(...(await Promise.all(Array.from({ length: 10 }, call))));
      }
      isOver.abort();
      await Promise.all(attackers);
      await server.stop();
      expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
        new Set([JSON.stringify([200, { tool_use_id: '1', is_error: false, content: '100' }])]),
      );
      expect(attacks).toBeGreaterThan(20);
      // They did reach the guest.
      expect(givenUp).toBeGreaterThan(20);
      expect(answers).toHaveLength(CALLS);
    },
    120_000,
  );
});
