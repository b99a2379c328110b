import { expect, it } from 'vitest';
import { fits, type Rule } from '../../src/approval/rule.js';

const rule = (effect: Rule['effect']): Rule => ({
  id: 'r',
  verdict: 'allow',
  plugin: 'search',
  tool: '*',
  bundle: '*',
  ...(effect === undefined ? {} : { effect }),
});
const sent = (effect?: string) => ({ plugin: 'search', tool: 't', bundle: 'b', input: {}, effect });

it.each([
  [{ host: 'api.exa.ai', method: 'POST' }, 'POST https://api.exa.ai', true],
  [{ host: 'API.exa.ai', method: 'post' }, 'POST https://api.exa.ai:8443', true],
  [{ host: 'api.exa.ai' }, 'PUT https://api.exa.ai', true],
  [{ host: 'api.exa.ai', method: 'POST' }, 'PUT https://api.exa.ai', false],
  [{ host: 'api.exa.ai' }, 'POST https://evil.test', false],
  [{ host: 'api.exa.ai' }, 'POST https://api.exa.ai.evil.test', false],
  [{ host: 'api.exa.ai' }, undefined, false],
  ['POST https://api.exa.ai', 'POST https://api.exa.ai', true],
  [undefined, 'POST https://api.exa.ai', false],
])('a rule for %j fits %s: %s', (effect, target, does) => {
  expect(fits(rule(effect), sent(target), 0)).toBe(does);
});
