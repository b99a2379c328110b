import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effectiveRisk, type RiskFacts } from '../../src/approval/risk.js';
import { NO_PERMISSIONS } from '../../src/permissions/permissions.js';
import { bandOfHints, exceeds, RISK_BANDS } from '../../src/plugin/risk.js';

const facts = (changed: Partial<RiskFacts> = {}): RiskFacts => ({
  declared: 'low',
  reach: NO_PERMISSIONS,
  trusted: false,
  policy: 'proven',
  ...changed,
});
const bandOf = (changed: Partial<RiskFacts>): string => effectiveRisk(facts(changed)).band;

describe('bandOfHints', () => {
  it.each([
    [{ readOnlyHint: true }, 'low'],
    [{ readOnlyHint: true, destructiveHint: true }, 'low'],
    [{ readOnlyHint: false, destructiveHint: false }, 'medium'],
    [{ destructiveHint: false }, 'medium'],
    [{ readOnlyHint: false, destructiveHint: true }, 'high'],
    [{ readOnlyHint: false }, 'high'],
    [{}, 'high'],
  ])('%j are %s', (hints, band) => {
    expect(bandOfHints(hints)).toBe(band);
  });
});

describe('the risk of a tool declared low', () => {
  it.each([
    ['no permission', {}],
    ['a clock', { time: true }],
    ['random numbers', { random: true }],
    ['variables', { env: ['KEY'] }],
    ['files to read', { fs: ['notes'] }],
    ['a directory of its own', { storage: true }],
  ])('is low with %s', (_, granted) => {
    expect(bandOf({ reach: { ...NO_PERMISSIONS, ...granted } })).toBe('low');
  });

  it.each([
    ['a host', { network: ['api.example.com'] }],
    ['a host that is only read from', { network: ['GET api.example.com'] }],
    ['a host and a key', { network: ['api.example.com'], env: ['KEY'] }],
    ['every subdomain', { network: ['*.example.com'] }],
  ])('is medium with %s', (_, granted) => {
    const reach = { ...NO_PERMISSIONS, ...granted };
    expect(effectiveRisk(facts({ reach }))).toMatchObject({
      band: 'medium',
      why: expect.stringContaining('it can send requests'),
    });
  });

  it('is medium with a power of the host', () => {
    expect(bandOf({ reach: { ...NO_PERMISSIONS, powers: ['generation'] } })).toBe('medium');
  });

  it('is medium on a remote server, and high if it runs unconfined', () => {
    expect(bandOf({ reach: 'remote' })).toBe('medium');
    expect(bandOf({ reach: 'unconfined' })).toBe('high');
  });
});

describe('trusted hints of a plugin', () => {
  const network = { ...NO_PERMISSIONS, network: ['api.example.com'], env: ['KEY'] };

  it('make a tool declared low low, for named hosts and in host mode', () => {
    expect(bandOf({ reach: network, trusted: true })).toBe('low');
    expect(bandOf({ reach: 'unconfined', trusted: true })).toBe('low');
  });

  it('do not apply to wildcards and remote servers', () => {
    expect(bandOf({ reach: { ...network, network: ['*.example.com'] }, trusted: true })).toBe(
      'medium',
    );
    expect(bandOf({ reach: 'remote', trusted: true })).toBe('medium');
  });

  it('do not lower a higher declared band', () => {
    expect(bandOf({ declared: 'high', reach: network, trusted: true })).toBe('high');
  });
});

it('effectiveRisk with the policy `author` is the declared band', () => {
  for (const declared of RISK_BANDS) {
    expect(bandOf({ declared, reach: 'unconfined', policy: 'author' })).toBe(declared);
  }
});

it('effectiveRisk is never below the declared band', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...RISK_BANDS),
      fc.constantFrom<RiskFacts['reach']>('remote', 'unconfined', NO_PERMISSIONS, {
        ...NO_PERMISSIONS,
        network: ['a.example'],
      }),
      fc.boolean(),
      fc.constantFrom<RiskFacts['policy']>('proven', 'author'),
      (declared, reach, trusted, policy) => {
        const { band } = effectiveRisk({ declared, reach, trusted, policy });
        expect(exceeds(declared, band)).toBe(false);
      },
    ),
  );
});
