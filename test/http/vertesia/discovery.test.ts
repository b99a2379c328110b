import { describe, expect, it } from 'vitest';
import { serveTools, URL_SERVED } from './served.js';

describe('GET of a tool server', () => {
  it('lists the tools in the form of the protocol, without a token', async () => {
    const { get } = await serveTools({ title: 'Weather', description: 'Of the world' });
    const { status, body, headers } = await get();
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json');
    expect(Object.keys(body)).toEqual(['src', 'title', 'description', 'tools']);
    expect(body).toMatchObject({ src: URL_SERVED, title: 'Weather', description: 'Of the world' });
    expect(body['tools']).toContainEqual({
      name: 'sample__weather',
      description: 'Does weather',
      input_schema: {
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
      },
    });
    const tools = body['tools'] as { input_schema: { type: string } }[];
    expect(tools.every(({ input_schema }) => input_schema.type === 'object')).toBe(true);
  });

  it('does not use the Host header', async () => {
    const { fetch } = await serveTools();
    const response = await fetch(new Request('http://evil.example/tools'));
    expect(await response.json()).toMatchObject({ src: URL_SERVED });
  });

  it('adds details to each tool if the operator enables them', async () => {
    const { get } = await serveTools({ details: true, tools: ['*asks'] });
    const { body } = await get();
    expect(body['tools']).toMatchObject([
      {
        name: 'sample__asks',
        category: 'sample',
        url: URL_SERVED,
        approval_class: 'requires_confirmation',
        annotations: { readOnlyHint: false },
      },
    ]);
  });

  it('lists the current catalog', async () => {
    const { get, engine } = await serveTools();
    await engine.close();
    expect((await get()).body['tools']).toEqual([]);
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])('does not answer %s', async (method) => {
    const { fetch } = await serveTools();
    const response = await fetch(new Request(URL_SERVED, { method }));
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST');
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect(await response.json()).toMatchObject({ tool_use_id: 'unknown', status: 405 });
  });
});
