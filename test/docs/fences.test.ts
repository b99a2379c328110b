import { describe, expect, it } from 'vitest';
import { parseRules } from '../../src/approval/rule-book.js';
import { parseConfig } from '../../src/http/config.js';
import { parseExceptions } from '../../src/report/exceptions.js';
import { readSources, readText } from '../architecture/sources.js';
import { commands } from '../cli/grammar.js';
import { documents, fencesOf } from './documents.js';

const fences = documents.flatMap(fencesOf);

/** What each kind of block is for, and who looks at it. */
const KNOWN = [
  'ts', // run, and compared with what it says that it prints
  'sh', // likewise: commands
  'js', // run by a test of its own, by its document
  'json', // parsed below
  'console', // a session: its commands are known below
  'text', // a picture
  'ini',
  'dockerfile',
];

describe('the documents', () => {
  it('have only code blocks of a kind that a test checks', () => {
    const total = documents.map((document) => readText(document).match(/^```/gm)?.length ?? 0);
    expect(fences).toHaveLength(total.reduce((sum, count) => sum + count / 2, 0));
    expect(fences.filter(({ language }) => !KNOWN.includes(language))).toEqual([]);
  });

  it('have a test for each block that only its own test can run', () => {
    const own = fences.filter(({ language }) => language === 'js').map(({ document }) => document);
    const frameworks = Array.from({ length: 12 }, () => 'docs/frameworks.md');
    expect(own).toEqual([
      'docs/fleet.md',
      ...frameworks,
      'docs/packages.md',
      'docs/powers.md',
      'docs/storage.md',
      'docs/storage.md',
    ]);
  });

  describe.each(fences.filter(({ language }) => language === 'json'))(
    'JSON in $document',
    ({ document, text }) => {
      it('is valid for its reader', () => {
        const value: unknown = JSON.parse(text);
        const reader = readers[document];
        expect(reader === undefined || value === null ? [] : reader(text, value)).toEqual([]);
      });
    },
  );

  /** Gives what is wrong with a block. */
  const readers: Readonly<Record<string, (text: string, value: unknown) => unknown>> = {
    'docs/serve.md': readConfig,
    'docs/fleet.md': readConfig,
    'docs/vertesia.md': readConfig,
    'docs/mcp.md': (text) => (text.includes('"mcpServers"') ? [] : readConfig(text)),
    'docs/approval.md': (text) => {
      const rules = parseRules(text);
      return 'value' in rules ? [] : rules;
    },
    'docs/report.md': (_text, value) => (parseExceptions(value).length === 1 ? [] : value),
  };

  function readConfig(text: string): unknown {
    return Object.keys(parseConfig(text, 'bulkhead.config.json')).length > 0 ? [] : text;
  }

  interface Mention {
    readonly where: string;
    readonly line: string;
  }

  const mentions: Mention[] = [
    ...fences
      .filter(({ language }) => language === 'console' || language === 'sh')
      .flatMap(({ document, text }) => commandsIn(text).map((line) => ({ where: document, line }))),
    ...documents.flatMap((where) => inlineIn(readText(where)).map((line) => ({ where, line }))),
    ...readSources('src').flatMap(({ path }) =>
      inlineIn(readText(path).replaceAll('\\`', '`')).map((line) => ({ where: path, line })),
    ),
  ];

  it('name commands', () => {
    expect(mentions.length).toBeGreaterThan(100);
  });

  it.each(mentions)('name an existing command in $where: bulkhead $line', ({ line }) => {
    const words = line.split(/\s+/);
    const found =
      commands.find(({ path }) => path === words.slice(0, 2).join(' ')) ??
      commands.find(({ path }) => path === words[0]);
    const group = commands.some(({ path }) => path.startsWith(`${words[0]} `));
    if (found === undefined)
      return expect({ line, group }).toEqual({ line: words[0], group: true });
    const known = found.command.options.flatMap(({ long, short }) => [long, short]);
    const used = words.flatMap((word) => /^(--?[a-z][a-z-]*)/.exec(word)?.[1] ?? []);
    expect(used.filter((option) => option !== '--help' && !known.includes(option))).toEqual([]);
  });
});

/** Commands of a session: what follows the name of the program, lines that go on joined. */
function commandsIn(text: string): string[] {
  return [...text.replaceAll('\\\n', ' ').matchAll(/^(?:\$ )?(?:npx )?bulkhead (.+)$/gm)].map(
    ([, line = '']) => line.replaceAll(/'[^']*'|"[^"]*"/g, 'x').trim(),
  );
}

/** What stands in code in the middle of a text. */
function inlineIn(text: string): string[] {
  const outside = text.replaceAll(/^```.*?^```$/gms, '');
  return [...outside.matchAll(/`(?:npx )?bulkhead ([a-z][^`\n]*)`/g)].map(([, line = '']) =>
    line.replaceAll(/'[^']*'|"[^"]*"/g, 'x').trim(),
  );
}
