import type { Report } from '../../src/report/report.js';
import { call, granted, NOW, recordsOf, statusOf, tool } from './builders.js';
import { sampleReport } from './sample.js';

/** Names that want to be more than names. */
export const HOSTILE = [
  '<img src=x onerror=window.pwned=1>',
  '</title></svg></style><script>window.pwned=1</script>',
  '"><svg onload=window.pwned=1><"',
  "' autofocus onfocus='window.pwned=1",
  '{{constructor.constructor("window.pwned=1")()}}',
  'javascript:window.pwned=1',
  ']]><!--<script>window.pwned=1</script>-->',
  '&lt;script&gt;window.pwned=1&lt;/script&gt;',
  '\u202egnp.exe\u2066 turned round \u0000\u001b[31m\r\nand on',
  'a-very-long-name-without-any-place-to-break-it'.repeat(12),
  'https://evil.test/x www.evil.test HTTP://EVIL.test by @everyone and eve@evil.test \u009b2J',
  '| a | cell | [link](javascript:alert(1)) ![x](http://evil.test/x.png) `code` |',
] as const;

/** A report in which everything that a plugin has a say in is one of these. */
export function hostileReport(): Promise<Report> {
  const plugins = HOSTILE.map((text, index) =>
    statusOf(`${text}${index}`, {
      name: text,
      version: text,
      directory: `/srv/${text}`,
      permissions: {
        env: [text],
        powers: [text],
        fs: ['data'],
        network: ['api.test'],
      },
      tools: [tool(text, text, { risk: 'high', riskWhy: text })],
    }),
  );
  const records = HOSTILE.flatMap((text, index) => [
    granted(
      `${text}${index}`,
      { env: [text], powers: [text], network: ['api.test'] },
      { version: text },
    ),
    ...call(`${text}${index}`, text, NOW - 1_000, ['network GET https://api.test/'], { at: text }),
    {
      atMs: NOW - 900,
      type: 'capability-denied',
      plugin: `${text}${index}`,
      permission: 'fs',
      wanted: text,
      at: `${text}:1:1`,
    },
    {
      atMs: NOW - 800,
      type: 'secret-inserted',
      plugin: `${text}${index}`,
      secret: text,
      place: 'header',
      host: text,
    },
  ]);
  return sampleReport({
    plugins,
    records: recordsOf(records),
    log: { file: HOSTILE[0], sound: false, notes: [HOSTILE[1] ?? ''] },
    lock: {
      plugins: {
        [`${HOSTILE[0]}0`]: {
          bundles: {},
          by: HOSTILE[2],
          at: HOSTILE[3],
          hosts: [HOSTILE[0]],
          packages: {
            [HOSTILE[1] ?? '']: {
              version: HOSTILE[2],
              granted: { network: [HOSTILE[3]], env: [HOSTILE[0]] },
            },
          },
        },
      },
    },
  });
}
