import { describe, expect, it } from 'vitest';
import * as crypto from 'node:crypto';
import { hash } from '../../src/hash.js';
import { NODE_RANGE, whyUnsupported } from '../../src/supported-runtime.js';
import { readText } from '../architecture/sources.js';

describe('the runtime of the host', () => {
  it.each([
    [{ node: '18.20.8' }, 'Bulkhead needs Node.js >=20.19, and this is 18.20.8. Install a newer'],
    [{ node: '20.18.3' }, 'and this is 20.18.3.'],
    [{ node: '24.3.0', bun: '1.4.5' }, 'and this is Bun. Its walls need Node.js. Run: node app.js'],
    [{ node: '24.3.0', deno: '2.9.6' }, 'and this is Deno. Its walls need Node.js.'],
  ])('is refused with one line: %j', (versions, line) => {
    const why = whyUnsupported(versions, 'app.js');
    expect(why).toContain(line);
    expect(why).not.toContain('\n');
  });

  it('is accepted as package.json says', () => {
    const { engines } = JSON.parse(readText('package.json'));
    expect(NODE_RANGE).toBe(engines.node);
    for (const node of ['20.19.0', '22.0.0', '26.1.0']) {
      expect(whyUnsupported({ node }, '')).toBeUndefined();
    }
  });

  it('is asked for nothing that Node 18 lacks before the engine refuses it', () => {
    expect(hash).toBe(crypto.hash);
  });
});
