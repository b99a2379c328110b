import type { Guard } from './guard.js';

const secrets = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `test/brokers/network/secrets/${name}.test.ts`);

/** Where a secret's value goes, and that it does not come back. */
export const secretGuards: readonly Guard[] = [
  {
    stops: 'a value that is sent to a host which it is not bound to',
    file: 'src/brokers/network/secrets/insert.ts',
    code: 'const goes = bound.has(secret) && mayStand(secret, place, name);',
    without: 'const goes = mayStand(secret, place, name);',
    tests: secrets('exfiltration'),
  },
  {
    stops: 'a value that is sent in a place which it is not bound to',
    file: 'src/brokers/network/secrets/insert.ts',
    code: 'return places.some((allowed) => allowed === place || allowed === `${place}:${name}`);',
    without: 'return true;',
    tests: secrets('exfiltration'),
  },
  {
    stops: 'a value that comes back in a header or a redirect',
    file: 'src/brokers/network/follow.ts',
    code: 'return scrubber === undefined ? response : { ...response, head: scrubber.head(response.head) };',
    without: 'return response;',
    tests: secrets('reflection'),
  },
  {
    stops: 'a value that comes back in a body',
    file: 'src/brokers/network/secrets/scrub.ts',
    code: 'body: rewriteSource(body, rewriter),',
    without: 'body,',
    tests: secrets('reflection'),
  },
  {
    stops: 'a value that comes back in pieces',
    file: 'src/brokers/network/secrets/rewrite.ts',
    code: 'const begun = last ? [] :',
    without: 'const begun: number[] = true ? [] :',
    tests: secrets('rewrite', 'reflection'),
  },
  {
    stops: 'a value that comes back in base64',
    file: 'src/brokers/network/secrets/spelling.ts',
    code: '...[0, 1, 2].map(',
    without: '...[0].map(',
    tests: secrets('spelling'),
  },
  {
    stops: 'parts of a value that are asked for by a range',
    file: 'src/brokers/network/secrets/insert.ts',
    code: '.filter(([name]) => bound.size === 0 || !RANGES.has(name))',
    without: '',
    tests: secrets('reflection'),
  },
  {
    stops: 'a value that comes back packed in a way that only the plugin unpacks',
    file: 'src/brokers/network/secrets/scrub.ts',
    code: 'if (headers.some(isPacked)) return undefined;',
    without: '',
    tests: secrets('reflection'),
  },
  {
    stops: 'a value that is sent in cleartext because nobody said a scheme',
    file: 'src/brokers/network/secrets/binding.ts',
    code: "scheme: scope.scheme ?? 'https'",
    without: 'scheme: scope.scheme',
    tests: secrets('binding', 'exfiltration'),
  },
  {
    stops: 'a misspelt secret, whose variable would be handed over in plain',
    file: 'src/engine/options/secrets.ts',
    code: 'if (!declared.includes(name)) {',
    without: 'if (false) {',
    tests: ['test/engine/options/secrets.test.ts'],
  },
  {
    stops: "a value in the guest's variables",
    file: 'src/brokers/environment.ts',
    code: 'if (reference !== undefined) snapshot[key] = reference.placeholder;',
    without: 'if (false) snapshot[key] = key;',
    tests: ['test/engine/options/secrets.test.ts'],
  },
];
