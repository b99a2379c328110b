import { request } from 'node:http';
import type { Engine } from '../../src/index.js';

export interface NeighbourSpec {
  readonly engine: Engine;
  /** A plugin that no other trouble meets. */
  readonly plugin: string;
  /** The server's MCP endpoint, and the token to call. */
  readonly url: string;
  readonly token: string;
  readonly goesOn: () => boolean;
  /** Between two calls of the neighbour, and from a call to its hang-up, in milliseconds. */
  readonly everyMs: number;
}

export interface NeighbourResult {
  /** Calls of the neighbour, and how those ended that were not answered. */
  readonly calls: number;
  readonly hurt: Readonly<Record<string, number>>;
  readonly hangUps: number;
  /** The longest call of the neighbour, in milliseconds. */
  readonly slowestMs: number;
}

/**
 * One tenant calls a plugin, one call after the other. Meanwhile clients of the server call a tool of
 * the same plugin that ignores its signal, and hang up.
 */
export async function callBesideHangUps(spec: NeighbourSpec): Promise<NeighbourResult> {
  const { engine, plugin, goesOn, everyMs } = spec;
  const hurt: Record<string, number> = {};
  let calls = 0;
  let hangUps = 0;
  let slowestMs = 0;
  const neighbour = async (): Promise<void> => {
    while (goesOn()) {
      calls += 1;
      const began = performance.now();
      const input = { n: calls };
      const { code, value } = await engine.call(`${plugin}:echo`, input, { tenant: 'neighbour' });
      slowestMs = Math.max(slowestMs, performance.now() - began);
      const outcome = code ?? (JSON.stringify(value) === JSON.stringify(input) ? 'ok' : 'wrong');
      if (outcome !== 'ok') hurt[outcome] = (hurt[outcome] ?? 0) + 1;
      await pause(everyMs);
    }
  };
  const caller = async (): Promise<void> => {
    while (goesOn()) {
      await hangUp(spec);
      hangUps += 1;
    }
  };
  await Promise.all([neighbour(), caller(), caller()]);
  return { calls, hurt, hangUps, slowestMs };
}

/** Sends a call whose tool never ends, and closes the connection. */
function hangUp({ url, token, plugin, everyMs }: NeighbourSpec): Promise<void> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: `${plugin}__hang`, arguments: {} },
  });
  return new Promise((resolve) => {
    const sent = request(url, {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
    });
    // The connection that it closes itself.
    sent.on('error', () => {});
    sent.on('close', resolve);
    sent.on('response', (response) => response.resume());
    sent.end(body, () => setTimeout(() => sent.destroy(), everyMs));
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
