import { describe, expect, it } from 'vitest';
import { DialError } from '../../../src/brokers/network/connections.js';
import { explainFailure } from '../../../src/brokers/network/fetch-with-redirects.js';
import { NETWORK_LIMITS } from '../../../src/brokers/limits.js';
import { makeRefusals } from '../../../src/brokers/network/refusals.js';
import { brokerFor } from './plugin.js';
import { serve } from './servers.js';

const refusals = makeRefusals({ id: 'weather', manifest: 'm.json' }, [], NETWORK_LIMITS);

function explain(error: unknown) {
  return explainFailure(error, 'api.test', refusals);
}

describe('a failure', () => {
  it.each([
    ['ECONNREFUSED', 'refused'],
    ['ENOTFOUND', 'no such host'],
    ['ECONNRESET', 'closed'],
    ['ETIMEDOUT', 'in time'],
    ['HPE_INVALID_CONSTANT', 'not valid HTTP'],
    ['CERT_HAS_EXPIRED', 'certificate is not trusted'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate is not trusted'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'no TLS connection'],
    ['Z_DATA_ERROR', 'cannot be decompressed'],
    ['SOMETHING_ELSE', 'the connection failed'],
    ['constructor', 'the connection failed'],
  ])('of code %s is said in words', (code, words) => {
    const error = Object.assign(new Error('connect 10.0.0.7:5432'), { code });
    const explained = explain(new DialError(error));
    expect(explained).toMatchObject({ code: 'NETWORK_FAILED', details: { host: 'api.test' } });
    expect(explained.message).toContain(words);
    expect(explained.message).not.toContain('10.0.0.7');
    expect(explained.cause).toBe(error);
  });

  it('that is a refusal already stays what it is', () => {
    const refusal = refusals.revoked();
    expect(explain(new DialError(refusal))).toBe(refusal);
  });
});

describe('a refused connection', () => {
  it('is reported to the plugin without an address, and to the host with it', async () => {
    const server = await serve(() => {});
    const overrides = [{ host: 'api.test', url: 'http://127.0.0.1:1' }];
    const broker = brokerFor(server, { overrides });
    await expect(broker.get('http://api.test/x?key=secret')).rejects.toMatchObject({
      message: 'The request of weather to api.test failed: the connection was refused.',
    });
    expect(broker.records).toEqual([
      {
        type: 'network',
        plugin: 'weather',
        url: 'http://api.test/x?…',
        method: 'GET',
        outcome: 'failed',
        bytesIn: 0,
        bytesOut: 0,
        durationMs: expect.any(Number),
        reason: expect.stringContaining('127.0.0.1:1'),
      },
    ]);
  });
});
