import { aiDriver, type AiSdk } from './ai-driver.js';
import { describeAdapter } from './contract.js';
import { ifSupported } from './supported.js';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

await ifSupported('ai', async () => {
  const { generateText, isStepCount, streamText } = await import('ai');
  const { convertArrayToReadableStream, MockLanguageModelV4 } = await import('ai/test');

  const sdk: AiSdk = {
    generateText: (options) => generateText(options as Parameters<typeof generateText>[0]),
    streamText: (options) => streamText(options as Parameters<typeof streamText>[0]),
    isStop: isStepCount,
    approval: ({ toolApproval }) => ({ toolApproval }),
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
      return new MockLanguageModelV4({
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

  describeAdapter('the AI SDK, version 7', aiDriver(sdk));
  describeAdapter('the AI SDK, version 7, without toolApproval', {
    ...aiDriver({ ...sdk, approval: () => ({}) }),
  });
});

interface Answer {
  readonly text?: string;
  readonly callId?: string;
  readonly name?: string;
  readonly input?: unknown;
}
