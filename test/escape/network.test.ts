import { describe, expect } from 'vitest';
import { stage } from './attempt.js';
import { type Served, serve, serveDeadEnd } from './servers.js';
import { both, gotNothing, type Verdict } from './verdicts.js';

let vault: Served | undefined;
let deadEnd: Served | undefined;

const nobodyVisited: Verdict = () => {
  expect(vault?.visits).toEqual([]);
  expect(deadEnd?.visits).toEqual([]);
};

const deniedAll =
  (...codes: readonly string[]): Verdict =>
  ({ result }) => {
    expect(result.value).toEqual({ got: null, codes });
  };

describe('code that was granted a few hosts', () => {
  const escapeAttempt = stage({
    hostile: 'reaches-out',
    options: async () => {
      const { url: secret, port } = (vault = await serve((_, response) =>
        response.end('a secret'),
      ));
      const leads: Readonly<Record<string, string>> = {
        '/redirect': secret,
        '/redirect-by-name': `http://localhost:${port}/`,
        '/redirect-away': 'https://elsewhere.example.org/',
      };
      const { url } = await serve((request, response) => {
        const location = leads[request.url ?? ''];
        response.writeHead(location === undefined ? 200 : 302, { ...(location && { location }) });
        response.end('the api');
      });
      deadEnd = await serveDeadEnd();
      return {
        network: {
          overrides: [
            { host: 'api.example.com', url },
            { host: 'read.example.com', url },
          ],
          proxy: deadEnd.url,
        },
      };
    },
  });

  /** Every way to write this machine. */
  const loopback = (): string[] =>
    [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::127.0.0.1]',
      '0.0.0.0',
      '127.0.0.1.',
      'localhost',
      'localhost.',
      'LOCALHOST',
      '①②⑦.⓪.⓪.①',
    ].map((host) => `http://${host}:${vault?.port}/`);

  const attempts: readonly (readonly [
    tries: string,
    urls: () => string[],
    codes: readonly string[],
  ])[] = [
    ['this machine, by number and by name', loopback, ['NETWORK_DENIED']],
    [
      'private networks and the cloud’s own addresses',
      () => [
        'http://10.0.0.1/',
        'http://192.168.0.1/',
        'http://169.254.169.254/latest/meta-data/',
        'http://[fe80::1]/',
        'http://[fd00::1]/',
        'http://metadata.google.internal/',
      ],
      ['NETWORK_DENIED'],
    ],
    [
      'hosts that were not granted',
      () => [
        'https://elsewhere.example.org/',
        'https://api.example.com.evil.example/',
        'https://sub.api.example.com/',
        'https://evilapi.example.com/',
        'https://example.com/',
        'https://api.example.com:8443/',
        'https://аpi.example.com/',
      ],
      ['NETWORK_DENIED'],
    ],
    [
      'redirects to what it may not reach',
      () => [
        'https://api.example.com/redirect',
        'https://api.example.com/redirect-by-name',
        'https://api.example.com/redirect-away',
      ],
      ['NETWORK_DENIED'],
    ],
  ];
  for (const [tries, urls, codes] of attempts) {
    escapeAttempt({
      tries,
      tool: 'fetches',
      input: () => ({ urls: urls() }),
      verdict: both(deniedAll(...codes), nobodyVisited),
    });
  }

  escapeAttempt({
    tries: 'schemes other than the web’s',
    tool: 'fetches',
    input: {
      urls: [
        'https://api.example.com@127.0.0.1/',
        'file:///etc/passwd',
        'data:text/plain,secret',
        'ftp://api.example.com/',
        'blob:null/1',
        'about:blank',
        'javascript:1',
        'ws://api.example.com/',
        'node:fs',
      ],
    },
    verdict: both(({ result }) => expect(result.value).toMatchObject({ got: null }), nobodyVisited),
  });

  escapeAttempt({
    tries: 'to write where it may only read',
    tool: 'fetches',
    input: { urls: ['https://read.example.com/'], init: { method: 'POST', body: 'x' } },
    verdict: both(deniedAll('NETWORK_DENIED'), nobodyVisited),
  });

  escapeAttempt({
    tries: 'options that only Node’s own fetch takes',
    tool: 'fetches',
    input: () => ({
      urls: ['https://elsewhere.example.org/'],
      init: {
        dispatcher: {},
        unix: '/run/docker.sock',
        proxy: vault?.url,
        host: '127.0.0.1',
        port: vault?.port,
        socketPath: '/run/docker.sock',
        lookup: {},
      },
    }),
    verdict: both(deniedAll('NETWORK_DENIED'), nobodyVisited),
  });

  escapeAttempt({
    tries: 'an address that is another at the second look',
    tool: 'shape-shifter',
    input: () => ({ secretUrl: vault?.url }),
    verdict: both(gotNothing, nobodyVisited),
  });
});
