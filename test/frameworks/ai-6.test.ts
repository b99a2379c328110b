import { generateText, stepCountIs, streamText } from 'ai-6';
import { convertArrayToReadableStream, MockLanguageModelV3 } from 'ai-6/test';
import { aiDriver, type AiSdk } from './ai-driver.js';
import { describeAdapter } from './contract.js';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

const sdk: AiSdk = {
  generateText: (options) => generateText(options as Parameters<typeof generateText>[0]),
  streamText: (options) => streamText(options as Parameters<typeof streamText>[0]),
  isStop: stepCountIs,
  approval: () => ({}),
  model: (generate) => {
    const content = (request: unknown) => {
      const answer = generate(request as Parameters<typeof generate>[0]) as Answer;
      return answer.text === undefined
        ? ({
            type: 'tool-call',
            toolCallId: answer.callId ?? '',
            toolName: answer.name ?? '',
            input: JSON.stringify(answer.input),
          } as const)
        : ({ type: 'text', text: answer.text } as const);
    };
    const finish = (type: string) =>
      ({ unified: type === 'text' ? 'stop' : 'tool-calls', raw: undefined }) as const;
    return new MockLanguageModelV3({
      doGenerate: async (request) => {
        const part = content(request);
        return { content: [part], finishReason: finish(part.type), usage, warnings: [] };
      },
      doStream: async (request) => {
        const part = content(request);
        const parts =
          part.type === 'text'
            ? ([
                { type: 'text-start', id: 't' },
                { type: 'text-delta', id: 't', delta: part.text },
                { type: 'text-end', id: 't' },
              ] as const)
            : [part];
        return {
          stream: convertArrayToReadableStream([
            { type: 'stream-start', warnings: [] },
            ...parts,
            { type: 'finish', finishReason: finish(part.type), usage },
          ]),
        };
      },
    });
  },
};

interface Answer {
  readonly text?: string;
  readonly callId?: string;
  readonly name?: string;
  readonly input?: unknown;
}

describeAdapter('the AI SDK, version 6', aiDriver(sdk));
