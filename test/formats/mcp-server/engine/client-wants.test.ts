import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makePluginTable } from '../../../../src/engine/plugins/installed.js';
import type { Instance } from '../../../../src/engine/instance/instance.js';
import { makeEventBus } from '../../../../src/events.js';
import { makeClientWants } from '../../../../src/formats/mcp-server/engine/client-wants.js';

/** A server without a guest. `acquire` starts one, of which no event says that it takes requests. */
function setUp(): {
  readonly remove: () => void;
  readonly changed: string[];
  readonly starts: () => number;
} {
  const plugins = makePluginTable();
  const guests = {
    current: undefined as object | undefined,
    acquire: vi.fn<() => Promise<object>>(),
  };
  guests.acquire.mockImplementation(() => Promise.resolve((guests.current = {})));
  let instance: object | undefined = { guests };
  const wants = makeClientWants({
    id: 'server',
    events: makeEventBus(Date.now),
    plugins,
    // The part of an instance that is read here.
    instance: () => instance as Instance | undefined,
  });
  const changed: string[] = [];
  plugins.notices.on('server', (notice) => {
    if (notice.type === 'resource-updated') changed.push(notice.uri);
  });
  wants.add('x:1');
  plugins.changed();
  return {
    changed,
    starts: () => guests.acquire.mock.calls.length,
    remove: () => {
      instance = undefined;
      plugins.changed();
    },
  };
}

describe('what the clients of a server want', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('reaches a guest of which no event says that it takes requests', async () => {
    const { changed, starts } = setUp();
    await vi.advanceTimersByTimeAsync(500);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(starts()).toBe(1);
    expect(changed).toEqual(['x:1']);
  });

  it('leaves no timer behind when the server is removed', () => {
    const { remove } = setUp();
    expect(vi.getTimerCount()).toBe(1);
    remove();
    expect(vi.getTimerCount()).toBe(0);
  });
});
