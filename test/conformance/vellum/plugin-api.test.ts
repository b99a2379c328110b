import { describe, expect, it } from 'vitest';
import { valueOf } from './one-tool.js';

/** Every name that the module exports to plugins, in either edition. */
const NAMES =
  'HOOKS RiskLevel INTERNAL_NUDGE_OUTPUT_SUPPRESSION VOICE_ESCALATION_CONTINUATION_MESSAGE_KIND assistantEventHub publishEvent ' +
  'getModelProfiles doesSupportVision resolveCredential CredentialResolutionError storeCredential CredentialStoreError ' +
  'resolveWebhookUrl resolveOauthCallbackUrl getConfiguredProvider resolveMediaSourceData isMaxTokensStopReason ' +
  'isVisionNotSupportedError lastToolResultUserMessageIndex isToolResultMessage quarantineRefusedExchanges REFUSAL_FALLBACK_TEXT ' +
  'getAssistantName resolveUserName getWorkspaceDir CLI_COMMAND_HELP embed embedAndUpsert generateSparseEmbedding getDocument ' +
  'indexDocument queryIndex removeDocument selectedBackendSupportsMultimodal sweepOrphanedGraphNodePoints listCatalogSkills ' +
  'listInstalledSkills extractTextFromStoredMessageContent stringifyMessageContent addMessage buildMessageExcerpt deleteConversation ' +
  'getConversation getConversationDirPath getConversationProcessingStartedAt getMessages hasLexicalTokens isConversationProcessing ' +
  'listConversations parseMessageMetadata searchMessageIdsLexical syncMessageToDisk updateMessageMetadata persistSystemCard ' +
  'synthesizeText TtsSynthesisError openTranscriptionSession runConversationTurn createLiveVoiceConnection getSecureKeyAsync';

const useAll = "import * as api from '@vellumai/plugin-api';";

describe('@vellumai/plugin-api', () => {
  it('has every name, and is undefined for one that there never was', async () => {
    const absent = await valueOf(
      useAll,
      `${JSON.stringify(NAMES.split(' '))}.filter((name) => api[name] === undefined)`,
    );
    expect(absent).toEqual([]);
    expect(await valueOf(useAll, 'String(api.setSecureKey)')).toBe('undefined');
  });

  it('names the hooks and the bands of risk', async () => {
    expect(
      await valueOf(
        useAll,
        '[api.HOOKS.PRE_MODEL_CALL, Object.keys(api.HOOKS).length, api.RiskLevel]',
      ),
    ).toEqual(['pre-model-call', 10, { Low: 'low', Medium: 'medium', High: 'high' }]);
  });

  it('has errors that can be told apart', async () => {
    const value = await valueOf(
      useAll,
      `(() => { const error = new api.CredentialResolutionError('no such key');
        return [error instanceof api.CredentialResolutionError, error instanceof Error, error.name, error.message,
          error instanceof api.TtsSynthesisError, Object.prototype.toString.call(error)]; })()`,
    );
    expect(value).toEqual([
      true,
      true,
      'CredentialResolutionError',
      'no such key',
      false,
      '[object Error]',
    ]);
  });

  it('reads messages', async () => {
    const prelude = `${useAll}
      const user = (text) => ({ role: 'user', content: [{ type: 'text', text }] });
      const results = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'b' }] };
      const refused = { role: 'assistant', content: [{ type: 'text', text: api.REFUSAL_FALLBACK_TEXT }] };
      const messages = [user('one'), { role: 'assistant', content: [] }, user('bad'), results, refused, user('two')];`;
    expect(
      await valueOf(
        prelude,
        `[api.isToolResultMessage(results), api.isToolResultMessage(user('x')), api.lastToolResultUserMessageIndex(messages),
          api.quarantineRefusedExchanges(messages).messages.map((m) => m.content[0]?.text ?? ''),
          api.quarantineRefusedExchanges(messages).droppedExchanges,
          api.stringifyMessageContent('[{"type":"text","text":"hi"},{"type":"tool_use","name":"x"}]'),
          api.extractTextFromStoredMessageContent('[{"type":"text","text":"hi"},{"type":"tool_use","name":"x"}]'),
          await api.hasLexicalTokens('?! é a'), await api.hasLexicalTokens('to'), await api.parseMessageMetadata('{"a":1}'), String(await api.parseMessageMetadata('x')),
          api.isMaxTokensStopReason('max_tokens')]`,
      ),
    ).toEqual([
      true,
      false,
      3,
      ['one', '', 'two'],
      1,
      'hi',
      'hi\nTool use (x): undefined',
      false,
      true,
      { a: 1 },
      'undefined',
      true,
    ]);
  });

  it('has a notice to append to texts, and recognizes what providers say', async () => {
    const [notice, ...answers] = Object.values(
      (await valueOf(
        useAll,
        `[api.INTERNAL_NUDGE_OUTPUT_SUPPRESSION,
          api.isVisionNotSupportedError('This model does not support image input'),
          api.isVisionNotSupportedError(new Error('Vision is not supported')),
          api.isVisionNotSupportedError('rate limited'),
          api.isMaxTokensStopReason(' Max_Output_Tokens '), api.isMaxTokensStopReason('end_turn'),
          api.isToolResultMessage({ role: 'user', content: [{ type: 'web_search_tool_result', tool_use_id: 'a' }] })]`,
      )) as readonly unknown[],
    );
    expect(notice).toMatch(/^ The user does not see this notice: .+\.$/);
    expect(answers).toEqual([true, true, false, true, false, true]);
  });

  it('writes each stored block as text', async () => {
    const blocks = [
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'tool_use', name: 'x', input: { a: 1 } },
      { type: 'tool_result', content: 'no', is_error: true },
      { type: 'image', source: { media_type: 'a"b' } },
      { type: 'file', source: { filename: 'a.txt' }, extracted_text: 'words' },
      { type: 'server_tool_use', name: 'web', input: { query: 'towers' } },
      { type: 'constructor' },
    ];
    const text = `api.extractTextFromStoredMessageContent(${JSON.stringify(JSON.stringify(blocks))})`;
    expect(await valueOf(useAll, text)).toBe(
      [
        'Hm.',
        'Tool use (x): {"a":1}',
        'Tool result <error />: no',
        '<image type="a&quot;b" />',
        'File (a.txt): words',
        '[web search: towers]',
        '<unknown_content_block />',
      ].join('\n'),
    );
  });
});
