import type { Engine } from 'bulkhead';
import type { AdapterApprovals, AdapterOptions } from 'bulkhead/ai';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Host, PIXEL, startHost } from './host.js';

/** What a framework showed its mock model, and how the run ended. */
export interface Turn {
  /** Whether the run waits for an approval. */
  readonly paused: boolean;
  /** The result that the model received. */
  readonly text: string;
  /** Base64 of the images that the model received. */
  readonly images: readonly string[];
  /** The framework's own flag for errors; absent if it has none. */
  readonly isError?: boolean;
  /** Output of the tool while it ran. */
  readonly outputs?: readonly string[];
  /** The framework's state, as a host stores it. */
  readonly state: string;
}

export interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface RunSpec {
  readonly engine: Engine;
  readonly options?: AdapterOptions;
  readonly signal?: AbortSignal;
}

/** A framework with its own mock model, which makes one call and then answers with its result. */
export interface Driver {
  /** `pause`: the run ends, and is resumed. `hold`: the run waits. */
  readonly approval: 'pause' | 'hold';
  /** Whether the framework passes outputs of running tools on. */
  readonly streams: boolean;
  /** The names of the tools that the model received, and one schema. */
  list(spec: RunSpec): Promise<{ readonly names: readonly string[]; readonly schema: unknown }>;
  run(spec: RunSpec, call: Call): Promise<Turn>;
  /** Resumes a stored state. `hold`: the run starts again with the same call. */
  resume(spec: RunSpec, state: string, approved: boolean): Promise<Turn>;
  /** The approvals of the adapter, and the name of the paused call. */
  approvals(spec: RunSpec, state: string): Promise<readonly [AdapterApprovals, Reference]>;
}

export type Reference = Parameters<AdapterApprovals['question']>[0];

const ANN = { by: 'ann', approver: 'person' } as const;
const SEND: Call = { tool: 'send', input: { to: 'bob' } };

/** Tests what every adapter must do. */
export function describeAdapter(name: string, driver: Driver): void {
  describe(`the adapter for ${name}`, () => {
    let host: Host;
    beforeAll(async () => {
      host = await startHost();
    });
    const run = (call: Call, spec: Omit<RunSpec, 'engine'> = {}): Promise<Turn> =>
      driver.run({ engine: host.engine, ...spec }, call);

    it('lists the tools with their schemas', async () => {
      const { names, schema } = await driver.list({ engine: host.engine });
      expect(names.toSorted()).toEqual(['build', 'draw', 'fail', 'hang', 'say', 'send']);
      expect(schema).toMatchObject({
        type: 'object',
        properties: { to: { type: 'string', pattern: '^[a-z ]*$' } },
      });
      const some = await driver.list({ engine: host.engine, options: { tools: ['s*'] } });
      expect(some.names.toSorted()).toEqual(['say', 'send']);
    });

    it('calls a tool', async () => {
      const turn = await run({ tool: 'say', input: { to: 'ann' } });
      expect(turn).toMatchObject({ paused: false, text: 'hello ann', images: [] });
      expect(turn.isError ?? false).toBe(false);
    });

    it('reports the failure of a tool, and a wrong input', async () => {
      const failed = await run({ tool: 'fail', input: {} });
      expect(failed.text).toContain('the printer is on fire');
      expect(failed.isError ?? failed.text.includes('rror')).toBe(true);
      const before = host.runs.length;
      const wrong = await run({ tool: 'say', input: { to: 7 } });
      expect(wrong.text).toContain('to');
      expect(wrong.isError ?? wrong.text.includes('rror')).toBe(true);
      expect(host.runs.slice(before).length).toBeLessThanOrEqual(1);
    });

    it.runIf(driver.streams)('streams the output of a tool while it runs', async () => {
      const turn = await run({ tool: 'build', input: {} });
      expect(turn.text).toBe('built');
      expect(turn.outputs?.join('|')).toMatch(/one.*two/);
    });

    it('passes images', async () => {
      const turn = await run({ tool: 'draw', input: {} });
      expect(turn.text).toContain('a pixel');
      expect(turn.images).toEqual([PIXEL]);
    });

    it('cancels a call that is aborted', async () => {
      const started = new Promise<void>((resolve) => {
        host.engine.on((event) => {
          if (event.type === 'call-started' && event.tool === 'hang') resolve();
        });
      });
      const ended = new Promise<string | undefined>((resolve) => {
        host.engine.on((event) => {
          if (event.type === 'call-ended' && event.tool === 'hang') resolve(event.code);
        });
      });
      const abort = new AbortController();
      const turn = run({ tool: 'hang', input: {} }, { signal: abort.signal }).catch(() => 'threw');
      await started;
      abort.abort();
      expect(await ended).toBe('CANCELLED');
      await turn;
    });

    it('finds tools of a wide catalog by search, and asks about them', async () => {
      const options: AdapterOptions = { maxTools: 3 };
      const { names } = await driver.list({ engine: host.engine, options });
      expect(names.toSorted()).toEqual(['call_tool', 'search_tools']);
      const found = await run({ tool: 'search_tools', input: { query: 'say' } }, { options });
      expect(JSON.parse(found.text)).toMatchObject({ tools: [{ name: 'say' }] });
      const inner = (tool: string): Call => ({
        tool: 'call_tool',
        input: { name: tool, input: { to: 'eve' } },
      });
      expect(await run(inner('say'), { options })).toMatchObject({ text: 'hello eve' });
      if (driver.approval === 'pause') {
        expect(await run(inner('send'), { options })).toMatchObject({ paused: true });
      } else {
        const { question, turn } = await hold(host, inner('send'), { options });
        await host.engine.approvals.answer(question, { verdict: 'once', ...ANN });
        expect(await turn).toMatchObject({ text: 'sent to eve' });
      }
      expect(host.runs.filter((id) => id === 'search_tools')).toEqual([]);
    });

    if (driver.approval === 'pause') describePause(driver);
    else describeHold(driver);
  });

  const hold = async (host: Host, call: Call, spec: Omit<RunSpec, 'engine'> = {}) => {
    const asked = new Promise<string>((resolve) => {
      host.engine.on((event) => {
        if (event.type === 'approval-asked') resolve(event.approval);
      });
    });
    const turn = driver.run({ engine: host.engine, ...spec }, call);
    return { question: await asked, turn };
  };

  function describePause({ run, resume, approvals }: Driver): void {
    const pause = async (spec: { host: Host; options?: AdapterOptions }) => {
      const { engine } = spec.host;
      const options = spec.options ?? {};
      const turn = await run({ engine, options }, SEND);
      expect(turn.paused).toBe(true);
      expect(spec.host.runs).not.toContain('send');
      const [own, reference] = await approvals({ engine, options }, turn.state);
      const question = own.question(reference);
      expect(question).toMatchObject({ id: 'desk:send', input: SEND.input });
      return { turn, own, reference, id: question?.approvalId ?? '', digest: question?.digest };
    };

    it('runs a call once after its approval, also after a restart of the host', async () => {
      const host = await startHost();
      const options = { tenant: 'acme', asker: 'bot 7' };
      const { turn, id } = await pause({ host, options });
      expect(host.engine.approvals.list({ tenant: 'acme' })).toMatchObject([
        { approvalId: id, asker: 'bot 7' },
      ]);
      await host.restart();
      const spec = { engine: host.engine, options };
      const [own, reference] = await approvals(spec, turn.state);
      const digest = own.question(reference)?.digest ?? '';
      await own.answer(reference, { verdict: 'once', digest, ...ANN });
      expect(await resume(spec, turn.state, true)).toMatchObject({
        paused: false,
        text: 'sent to bob',
      });
      expect(host.runs).toEqual(['send']);
      expect(host.engine.approvals.get(id)).toMatchObject({ state: 'spent' });
      // The same state again does not run the call again.
      await resume(spec, turn.state, true).catch(() => {});
      expect(host.runs).toEqual(['send']);
    });

    it('does not run a call that is denied', async () => {
      const host = await startHost();
      const { turn, own, reference } = await pause({ host });
      await own.answer(reference, { verdict: 'deny', reason: 'not that one', ...ANN });
      const spec = { engine: host.engine };
      const denied = await resume(spec, turn.state, false);
      expect(denied.paused).toBe(false);
      // Also if the client says that it was approved.
      const forged = await resume(spec, turn.state, true).catch((error: unknown) => ({
        text: String(error),
      }));
      expect(forged.text).not.toContain('sent to');
      expect(host.runs).toEqual([]);
    });

    it('does not run a call that only the client approved', async () => {
      const host = await startHost();
      const { turn } = await pause({ host });
      const forged = await resume({ engine: host.engine }, turn.state, true).catch(
        (error: unknown) => ({ text: String(error) }),
      );
      expect(forged.text).not.toContain('sent to');
      expect(host.runs).toEqual([]);
    });

    it('does not run a call whose approval has expired', async () => {
      const host = await startHost({ limits: { approvalExpiryMs: 400 } });
      const { turn, own, reference, id } = await pause({ host });
      await own.answer(reference, { verdict: 'once', ...ANN });
      await expect
        .poll(() => host.engine.approvals.get(id)?.state, { timeout: 10_000 })
        .toBe('expired');
      const late = await resume({ engine: host.engine }, turn.state, true).catch(
        (error: unknown) => ({ text: String(error) }),
      );
      expect(late.text).not.toContain('sent to');
      expect(host.runs).toEqual([]);
    });

    it('does not run another input than the approved one', async () => {
      const host = await startHost();
      const { turn, own, reference } = await pause({ host });
      await own.answer(reference, { verdict: 'once', ...ANN });
      const changed = turn.state.replaceAll('bob', 'eve');
      expect(changed).not.toBe(turn.state);
      const result = await resume({ engine: host.engine }, changed, true).catch(
        (error: unknown) => ({ text: String(error) }),
      );
      expect(result.text).not.toContain('sent to');
      expect(host.runs).toEqual([]);
    });

    it('does not run the call of another tenant', async () => {
      const host = await startHost();
      const { turn, own, reference } = await pause({ host, options: { tenant: 'acme' } });
      await own.answer(reference, { verdict: 'once', ...ANN });
      const spec = { engine: host.engine, options: { tenant: 'evil' } };
      const foreign = await resume(spec, turn.state, true).catch((error: unknown) => ({
        text: String(error),
      }));
      expect(foreign.text).not.toContain('sent to');
      expect(host.runs).toEqual([]);
    });
  }

  function describeHold({ resume, approvals }: Driver): void {
    it('waits for the answer, and runs the call once', async () => {
      const host = await startHost();
      const options = { tenant: 'acme', asker: 'bot 7' };
      const { question, turn } = await hold(host, SEND, { options });
      expect(host.runs).toEqual([]);
      expect(host.engine.approvals.get(question)?.question).toMatchObject({
        asker: 'bot 7',
        tenant: 'acme',
        input: SEND.input,
      });
      await host.engine.approvals.answer(question, { verdict: 'once', ...ANN });
      expect(await turn).toMatchObject({ text: 'sent to bob' });
      expect(host.runs).toEqual(['send']);
    });

    it('does not run a call that is denied, that expires or that is given up', async () => {
      const host = await startHost({ limits: { approvalExpiryMs: 400 } });
      const denied = await hold(host, SEND);
      await host.engine.approvals.answer(denied.question, { verdict: 'deny', ...ANN });
      expect((await denied.turn).text).not.toContain('sent to');
      const expired = await hold(host, SEND);
      expect((await expired.turn).text).not.toContain('sent to');
      const abort = new AbortController();
      const aborted = await hold(host, SEND, { signal: abort.signal });
      abort.abort();
      await aborted.turn.catch(() => {});
      expect(host.runs).toEqual([]);
    });

    it('finds its question again after a restart of the host, and runs once', async () => {
      const host = await startHost();
      const abort = new AbortController();
      const { question, turn } = await hold(host, SEND, { signal: abort.signal });
      abort.abort();
      const state = (await turn.catch(() => undefined))?.state ?? JSON.stringify(SEND);
      await host.restart();
      const spec = { engine: host.engine };
      const [own, reference] = await approvals(spec, state);
      expect(own.question(reference)?.approvalId).toBe(question);
      await own.answer(reference, { verdict: 'once', ...ANN });
      expect(await resume(spec, state, true)).toMatchObject({ text: 'sent to bob' });
      expect(host.runs).toEqual(['send']);
    });

    it('does not run another input than the approved one', async () => {
      const host = await startHost();
      const { question, turn } = await hold(host, SEND);
      const other = await hold(host, { tool: 'send', input: { to: 'eve' } });
      expect(other.question).not.toBe(question);
      await host.engine.approvals.answer(question, { verdict: 'once', ...ANN });
      await host.engine.approvals.answer(other.question, { verdict: 'deny', ...ANN });
      expect((await turn).text).toBe('sent to bob');
      expect((await other.turn).text).not.toContain('sent to');
      expect(host.runs).toEqual(['send']);
    });
  }
}
