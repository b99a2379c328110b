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

describe('hints as a band', () => {
  it.each([
    [{ readOnlyHint: true }, 'low'],
    [{ readOnlyHint: true, destructiveHint: true }, 'low'],
    [{ readOnlyHint: false, destructiveHint: false }, 'medium'],
    [{ destructiveHint: false }, 'medium'],
    [{ readOnlyHint: false, destructiveHint: true }, 'high'],
    [{ readOnlyHint: false }, 'high'],
    [{}, 'high'],
  ])('%j count as %s', (hints, band) => {
    expect(bandOfHints(hints)).toBe(band);
  });
});

describe('what an author calls low', () => {
  it.each([
    ['nothing at all', {}],
    ['a clock', { time: true }],
    ['random numbers', { random: true }],
    ['variables', { environment: ['KEY'] }],
    ['files to read', { filesystem: ['notes'] }],
    ['a directory of its own', { storage: true }],
  ])('is low with %s', (_, granted) => {
    expect(bandOf({ reach: { ...NO_PERMISSIONS, ...granted } })).toBe('low');
  });

  it.each([
    ['a host', { network: ['api.example.com'] }],
    ['a host that is only read from', { network: ['GET api.example.com'] }],
    ['a host and a key', { network: ['api.example.com'], environment: ['KEY'] }],
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

  it('is medium where it runs elsewhere, and high where it runs unconfined', () => {
    expect(bandOf({ reach: 'remote' })).toBe('medium');
    expect(bandOf({ reach: 'unconfined' })).toBe('high');
  });
});

describe('trust in the hints of a plugin', () => {
  const network = { ...NO_PERMISSIONS, network: ['api.example.com'], environment: ['KEY'] };

  it('lets what is called low be low, for named hosts and in host mode', () => {
    expect(bandOf({ reach: network, trusted: true })).toBe('low');
    expect(bandOf({ reach: 'unconfined', trusted: true })).toBe('low');
  });

  it('does not reach to wildcards and to what runs elsewhere', () => {
    expect(bandOf({ reach: { ...network, network: ['*.example.com'] }, trusted: true })).toBe(
      'medium',
    );
    expect(bandOf({ reach: 'remote', trusted: true })).toBe('medium');
  });

  it('lowers nothing that the author calls higher', () => {
    expect(bandOf({ declared: 'high', reach: network, trusted: true })).toBe('high');
  });
});

it("by the policy author the author's word counts", () => {
  for (const declared of RISK_BANDS) {
    expect(bandOf({ declared, reach: 'unconfined', policy: 'author' })).toBe(declared);
  }
});

it('no proof and no hint ever makes a band lower than its author declared', () => {
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
