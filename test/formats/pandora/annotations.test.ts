import { describe, expect, test } from 'vitest';
import { readAnnotations } from '../../../src/formats/pandora/tool.js';

const read = (value: unknown): { annotations: unknown; problems: string[] } => {
  const problems: string[] = [];
  const annotations = readAnnotations(value, (problem) => problems.push(problem));
  return { annotations, problems };
};

describe('Pandora tool annotations', () => {
  test('are read unchanged', () => {
    const annotations = {
      title: 'T',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
    };
    expect(read({ ...annotations, more: 1 })).toEqual({ annotations, problems: [] });
  });

  test.each([undefined, null, 'x', []])(
    'count as those of a writing tool if they are absent: %j',
    (value) => {
      const { annotations, problems } = read(value);
      expect(annotations).toEqual({ readOnlyHint: false });
      expect(problems).toHaveLength(1);
    },
  );

  test.each(['true', 1, {}, []])('count as true only if they are true: %j', (value) => {
    const { annotations, problems } = read({ readOnlyHint: value, destructiveHint: value });
    expect(annotations).toEqual({ readOnlyHint: false });
    expect(problems).toEqual([
      'annotations.readOnlyHint: must be true or false',
      'annotations.destructiveHint: must be true or false',
    ]);
  });

  test('have a title of limited length', () => {
    const { annotations } = read({ readOnlyHint: true, title: 'x'.repeat(5000) });
    expect(annotations).toEqual({ title: `${'x'.repeat(200)}…`, readOnlyHint: true });
  });
});
