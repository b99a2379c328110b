import { describe, expect, it } from 'vitest';
import type { OpenCall } from '../../../src/engine/instance/in-flight.js';
import { makeServerNotices, passClientLog } from '../../../src/engine/instance/server-notices.js';
import type { ServerLogMessage } from '../../../src/plugin/call-client.js';

function callWith(log: (message: ServerLogMessage) => void): OpenCall {
  const call: Pick<OpenCall, 'options'> = { options: { client: { log } } };
  return call as OpenCall;
}

describe('a log message of a guest', () => {
  it('is read field by field, and is dropped if it is too long or not valid', () => {
    const heard: unknown[] = [];
    const underWay = [callWith((message) => heard.push(message))];
    for (const params of [
      { level: 'info', data: 'short', logger: 'x'.repeat(900), evil: 1 },
      { level: 'info', data: 'x'.repeat(200_000) },
      { level: 'info', data: { deep: 'x'.repeat(200_000) } },
      { level: '__proto__', data: 1 },
      { level: 7, data: 1 },
      'text',
      null,
      { level: 'error' },
    ]) {
      passClientLog({ underWay }, params);
    }
    expect(heard).toEqual([
      { level: 'info', data: 'short', logger: 'x'.repeat(200) },
      { level: 'error', data: null },
    ]);
  });

  it('goes nowhere without a call, with several, or to a listener that throws', () => {
    const heard: unknown[] = [];
    const call = callWith((message) => heard.push(message));
    const params = { level: 'info', data: 1 };
    passClientLog({ underWay: [] }, params);
    passClientLog({ underWay: [call, call] }, params);
    const broken = callWith(() => {
      throw new Error('broken');
    });
    expect(() => passClientLog({ underWay: [broken] }, params)).not.toThrow();
    expect(heard).toEqual([]);
  });
});

describe('a notice of changed offers', () => {
  it('reaches the listeners of its plugin, if it is valid', () => {
    const { changed, on } = makeServerNotices();
    const heard: unknown[] = [];
    const stop = on('a', (notice) => heard.push(notice));
    for (const params of [
      { list: 'resources' },
      { list: 'prompts' },
      { list: 'tools' },
      { uri: 'x:1' },
      { uri: 5 },
      { uri: 'x'.repeat(5_000) },
      undefined,
    ]) {
      changed('a', params);
    }
    changed('b', { list: 'resources' });
    stop();
    changed('a', { list: 'resources' });
    expect(heard).toEqual([
      { type: 'resources-changed' },
      { type: 'prompts-changed' },
      { type: 'resource-updated', uri: 'x:1' },
    ]);
  });
});
