import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../../src/formats/mcp-server/answer.js';

describe('the result of a tool', () => {
  it('has texts, media, resources, links and structured content', () => {
    expect(
      readAnswer({
        isError: true,
        content: [
          { type: 'text', text: 'a' },
          { type: 'image', mimeType: 'image/png', data: 'AA==' },
          { type: 'audio', mimeType: 'audio/wav', data: 'AA==' },
          { type: 'resource', resource: { uri: 'x:1', text: 'inside', secret: 1 }, other: 2 },
          { type: 'resource', resource: { uri: 'x:2', blob: 'AA==' } },
          { type: 'resource_link', uri: 'https://example.com/a', name: 'A' },
          { type: 'resource_link', uri: 'file:///etc/passwd', name: 'B' },
        ],
        structuredContent: { n: 1 },
      }),
    ).toEqual({
      isError: true,
      content: [
        { type: 'text', text: 'a' },
        { type: 'image', mimeType: 'image/png', data: 'AA==' },
        { type: 'audio', mimeType: 'audio/wav', data: 'AA==' },
        { type: 'text', text: 'inside' },
        { type: 'file', mimeType: 'application/octet-stream', data: 'AA==', name: 'x:2' },
        { type: 'text', text: 'A: https://example.com/a' },
        { type: 'text', text: 'B: file:///etc/passwd' },
      ],
      // For clients of the protocol: known fields, in order.
      mcpContent: [
        { type: 'text', text: 'a' },
        { type: 'image', mimeType: 'image/png', data: 'AA==' },
        { type: 'audio', mimeType: 'audio/wav', data: 'AA==' },
        { type: 'resource', resource: { uri: 'x:1', text: 'inside' } },
        { type: 'resource', resource: { uri: 'x:2', blob: 'AA==' } },
        { type: 'resource_link', uri: 'https://example.com/a', name: 'A' },
        { type: 'resource_link', uri: 'file:///etc/passwd', name: 'B' },
      ],
      structured: { n: 1 },
      // Only addresses of the web: a client could open one of another kind.
      files: ['https://example.com/a'],
    });
  });

  it.each([null, 'x', 5, [], {}, { content: 'x' }, { content: [null, 5, { type: 'text' }, {}] }])(
    '%j is an empty answer',
    (value) => expect(readAnswer(value)).toEqual({ isError: false, content: [] }),
  );

  it('is cut to 1,000 blocks', () => {
    const content = Array.from({ length: 2_000 }, () => ({ type: 'text', text: 'a' }));
    expect(readAnswer({ content }).content).toHaveLength(1_000);
  });

  it('with structured content alone is its text too', () => {
    expect(readAnswer({ structuredContent: { n: 1 } }).content).toEqual([
      { type: 'text', text: '{"n":1}' },
    ]);
  });
});
