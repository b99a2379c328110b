#!/usr/bin/env node
// What MCP's conformance tests expect of a server, on standard input and output.
import { createInterface } from 'node:readline';

const IMAGE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const AUDIO = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

const text = (value) => ({ type: 'text', text: value });
const user = (...content) => content.map((one) => ({ role: 'user', content: one }));
const write = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const log = (data) => write({ method: 'notifications/message', params: { level: 'info', data } });
const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

const waiting = new Map();
/** Asks the client; resolves with its result. */
const ask = (method, params) =>
  new Promise((resolve, reject) => {
    const id = `ask-${waiting.size + 1}`;
    waiting.set(id, { resolve, reject });
    write({ id, method, params });
  });

const elicit = async (message, properties, required = []) => {
  const requestedSchema = { type: 'object', properties, required };
  const { action, content = {} } = await ask('elicitation/create', { message, requestedSchema });
  return [text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)];
};

const options = [
  { const: 'value1', title: 'First Option' },
  { const: 'value2', title: 'Second Option' },
  { const: 'value3', title: 'Third Option' },
];
const plain = ['option1', 'option2', 'option3'];

const tools = {
  test_simple_text: () => [text('This is a simple text response for testing.')],
  test_image_content: () => [{ type: 'image', data: IMAGE, mimeType: 'image/png' }],
  test_audio_content: () => [{ type: 'audio', data: AUDIO, mimeType: 'audio/wav' }],
  test_embedded_resource: () => [
    {
      type: 'resource',
      resource: {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      },
    },
  ],
  test_multiple_content_types: () => [
    text('Multiple content types test:'),
    { type: 'image', data: IMAGE, mimeType: 'image/png' },
    {
      type: 'resource',
      resource: {
        uri: 'test://mixed-content-resource',
        mimeType: 'application/json',
        text: JSON.stringify({ test: 'data', value: 123 }),
      },
    },
  ],
  test_tool_with_logging: async () => {
    for (const line of ['started', 'is processing data', 'completed']) {
      log(`Tool execution ${line}`);
      await pause();
    }
    return [text('Tool with logging executed successfully')];
  },
  test_tool_with_progress: async (_, { progressToken = 0 } = {}) => {
    for (const progress of [0, 50, 100]) {
      const message = `Completed step ${progress} of 100`;
      write({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 100, message },
      });
      await pause();
    }
    return [text(String(progressToken))];
  },
  test_error_handling: () => {
    throw new Error('This tool intentionally returns an error for testing');
  },
  test_reconnection: async () => {
    await pause();
    return [text('Reconnection test completed successfully.')];
  },
  test_sampling: async ({ prompt }) => {
    const { content } = await ask('sampling/createMessage', {
      messages: user(text(prompt)),
      maxTokens: 100,
    });
    return [text(`LLM response: ${content?.text ?? 'No response'}`)];
  },
  test_elicitation: ({ message }) =>
    elicit(message, { response: { type: 'string' } }, ['response']),
  test_elicitation_sep1034_defaults: () =>
    elicit('Please review and update the form fields with defaults', {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }),
  test_elicitation_sep1330_enums: () =>
    elicit('Please select options from the enum fields', {
      untitledSingle: { type: 'string', enum: plain },
      titledSingle: { type: 'string', oneOf: options },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: {
        type: 'array',
        minItems: 1,
        maxItems: 3,
        items: { type: 'string', enum: plain },
      },
      titledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { anyOf: options } },
    }),
  json_schema_2020_12_tool: (args) => [text(`called with: ${JSON.stringify(args)}`)],
};

const one = (name) => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
});

const schemas = {
  test_sampling: one('prompt'),
  test_elicitation: one('message'),
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  },
};

const resources = {
  'test://static-text': {
    name: 'static-text',
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  'test://static-binary': { name: 'static-binary', mimeType: 'image/png', blob: IMAGE },
  'test://watched-resource': {
    name: 'watched-resource',
    mimeType: 'text/plain',
    text: 'Watched resource content',
  },
};

const prompts = {
  test_simple_prompt: [[], () => user(text('This is a simple prompt for testing.'))],
  test_prompt_with_arguments: [
    ['arg1', 'arg2'],
    ({ arg1, arg2 }) => user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  ],
  test_prompt_with_embedded_resource: [
    ['resourceUri'],
    ({ resourceUri: uri }) =>
      user(
        {
          type: 'resource',
          resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        },
        text('Please process the embedded resource above.'),
      ),
  ],
  test_prompt_with_image: [
    [],
    () =>
      user(
        { type: 'image', data: IMAGE, mimeType: 'image/png' },
        text('Please analyze the image above.'),
      ),
  ],
};

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      logging: {},
      completions: {},
    },
    serverInfo: { name: 'everything', version: '1.0.0' },
  }),
  ping: () => ({}),
  'logging/setLevel': () => ({}),
  'completion/complete': () => ({
    completion: { values: ['paris', 'park'], total: 2, hasMore: false },
  }),
  'tools/list': () => ({
    tools: Object.keys(tools).map((name) => ({
      name,
      description: `Tests ${name.replaceAll('_', ' ')}`,
      inputSchema: schemas[name] ?? { type: 'object', properties: {} },
      annotations: { readOnlyHint: true },
    })),
  }),
  'tools/call': async ({ name, arguments: args = {}, _meta }) => {
    try {
      return { content: await tools[name](args, _meta) };
    } catch (error) {
      return { isError: true, content: [text(error.message)] };
    }
  },
  'resources/list': () => ({
    resources: Object.entries(resources).map(([uri, { name, mimeType }]) => ({
      uri,
      name,
      mimeType,
      description: `The resource ${name}`,
    })),
  }),
  'resources/templates/list': () => ({
    resourceTemplates: [
      {
        uriTemplate: 'test://template/{id}/data',
        name: 'template',
        description: 'A template',
        mimeType: 'application/json',
      },
    ],
  }),
  'resources/read': ({ uri }) => {
    const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
    if (id !== undefined) {
      const data = { id, templateTest: true, data: `Data for ID: ${id}` };
      return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(data) }] };
    }
    const found = resources[uri];
    if (found === undefined) throw Object.assign(new Error('not found'), { code: -32002 });
    const { name: _, ...content } = found;
    return { contents: [{ uri, ...content }] };
  },
  'resources/subscribe': () => ({}),
  'resources/unsubscribe': () => ({}),
  'prompts/list': () => ({
    prompts: Object.entries(prompts).map(([name, [args]]) => ({
      name,
      description: `The prompt ${name}`,
      arguments: args.map((arg) => ({ name: arg, description: arg, required: true })),
    })),
  }),
  'prompts/get': ({ name, arguments: args = {} }) => ({ messages: prompts[name][1](args) }),
};

async function answer({ id, method, params = {}, result, error }) {
  if (method === undefined) {
    const open = waiting.get(id);
    if (error === undefined) open?.resolve(result);
    else open?.reject(new Error(error.message));
    return;
  }
  if (id === undefined) return;
  try {
    if (methods[method] === undefined) {
      throw Object.assign(new Error(`${method} is not known`), { code: -32601 });
    }
    write({ id, result: await methods[method](params) });
  } catch (failure) {
    write({ id, error: { code: failure.code ?? -32603, message: failure.message } });
  }
}

createInterface({ input: process.stdin }).on('line', (line) => void answer(JSON.parse(line)));
