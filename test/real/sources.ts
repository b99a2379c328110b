export type System = 'vellum' | 'pandora' | 'spindle';

/** A public plugin: where its repository is, and the commit that its scenario was written for. */
export interface Source {
  readonly id: string;
  readonly system: System;
  /** `owner/name` on GitHub. */
  readonly repository: string;
  readonly commit: string;
  /** The plugin's directory in the repository. Default: its root. */
  readonly path?: string;
  /** Whether its built file has its dependencies inside, so that none are installed. */
  readonly bundled?: boolean;
  /** Its scenario's file. Default: its id. For a second plugin with the same id. */
  readonly scenario?: string;
}

const vellum = (id: string, repository: string, commit: string, path?: string): Source => ({
  id,
  system: 'vellum',
  repository,
  commit,
  ...(path === undefined ? {} : { path }),
});

const spindle = (id: string, repository: string, commit: string, scenario?: string): Source => ({
  id,
  system: 'spindle',
  repository,
  commit,
  bundled: true,
  ...(scenario === undefined ? {} : { scenario }),
});

/** A plugin that Vellum ships. It imports nothing but Vellum's plugin API. */
const shipped = (name: string): Source => ({
  ...vellum(
    name,
    'vellum-ai/vellum-assistant',
    '0d28f8de0964f5a1f8df00588e163e2ddbdb02db',
    `assistant/src/plugins/defaults/${name}`,
  ),
  bundled: true,
});

const pandora = (name: string): Source => ({
  id: name,
  system: 'pandora',
  repository: 'buttersmoothio/pandora',
  commit: '07df1760b06b18c76733dc1d337f0ce3cebd5a84',
  path: `packages/${name}`,
  bundled: true,
});

export const SOURCES: readonly Source[] = [
  vellum(
    'amex-perk-reminder',
    'AnitaKirkovska/amex-perk-reminder',
    'cb0f8e065c37fc73f673462c361ca5dc755c26ef',
  ),
  vellum(
    'family-briefing',
    'AnitaKirkovska/family-briefing',
    '145f341db7d06ffa81e2052033f187679b8bda4d',
  ),
  vellum('inbox-ea', 'AnitaKirkovska/inbox-ea', '8e298bd8ded5e0e16c5160edcd547eda1e4d222f'),
  vellum('model-router', 'AnitaKirkovska/model-router', '5e255699f7ecfd565faedb03cbcd9ffd0eb9784a'),
  vellum(
    'personal-finance',
    'AnitaKirkovska/personal-finance',
    'f8f9bfba3d86c943001da894b920e7e867507dd4',
  ),
  vellum(
    'travel-planner',
    'AnitaKirkovska/travel-planner',
    '10c2c4878b017997cb6766b8204b9803c56bc6cf',
  ),
  vellum(
    'virlo',
    'Virlo-AI/virlo-integrations',
    '71c66506148b1556caeca4094f284a81ceaa8b08',
    'integrations/vellum',
  ),
  vellum(
    'telegram-voice-transcribe',
    'marinatrajk/telegram-voice-transcribe',
    '5c0fcaf68f48e647fd4a0f73bfa9ace84d55dc8e',
  ),
  vellum('markitdown', 'simensgreen/markitdown-vellum', 'd165628b8c0f08a4bfeaf4a8dfabe6980162d006'),
  vellum('vellum-db', 'simensgreen/vellum-db', '00a587adb5d0344c977334353e0d4df54377340a'),
  vellum(
    'cognee',
    'topoteretes/cognee-integrations',
    '3c8e2315020e39fc677ed9e2718bcde785644b8a',
    'integrations/vellum-assistant',
  ),
  vellum('agent-wrapped', 'vellum-ai/agent-wrapped', '49c7e79fd24bd6f09839ce1f93afc118833b9c3d'),
  vellum('browser', 'vellum-ai/browser', '79f997250a91f2fea58c28b897e8b0006f69af1e'),
  vellum('cofounder', 'vellum-ai/cofounder', '547adf1c0db0cbb32855ff0e4ef46c056248bdea'),
  vellum(
    'fitness-companion',
    'vellum-ai/fitness-companion',
    'fe4e02e2b514207a37f2a7e9f9c500ec8a73edcb',
  ),
  vellum('git-workflow', 'vellum-ai/git-workflow', '829407aa93b63b8bca4717624533f2fc7f702a5d'),
  vellum('meeting-bot', 'vellum-ai/meeting-bot', '9cba09dd951ef28447645e04e3c047086e2a3be0'),
  vellum('originkit', 'vellum-ai/originkit', '9aa260c2561ad9e765832dc342e9bbb5138858a4'),
  vellum('plant-doctor', 'vellum-ai/plant-doctor', '1115ac07a5b7f731600f037b743e011a84bd0597'),
  vellum(
    'shared-memory-poc',
    'vellum-ai/shared-memory-poc',
    'c04ca3d9f8a0723a19d5c7140f9bb9bd1556c8d8',
  ),
  vellum(
    'tennis-companion',
    'vellum-ai/tennis-companion',
    '1c6d2bd448ee7b5285d37cfee4e0e413522746d1',
  ),
  vellum('threadkeeper', 'vellum-ai/threadkeeper', '6da547a99cbf5077b50295220caea2f6b69b3f4b'),
  vellum('writing-coach', 'vellum-ai/writing-coach', '9cb2289343fed2fd6ad8b0bb5db07616d1c8181c'),
  vellum(
    'echo',
    'vellum-ai/vellum-assistant',
    '0d28f8de0964f5a1f8df00588e163e2ddbdb02db',
    'assistant/examples/plugins/echo',
  ),
  spindle('hone', 'AMousePad/Hone', '58df5940196cf4149faa7d3e1981d2973879d880'),
  spindle('lumiagent', 'AMousePad/LumiAgent', '236ba1c16ba368c77dad72c54a602683ba0595b6'),
  spindle('novelist_memory', 'AmITato/novelist-memory', 'bc1d29cedf74f9ffb07135cbe01040ce876661cf'),
  spindle('lore_recall', 'Archkr/Lumiverse-LoreRecall', '1de226e41b01d4b164d03ff36a5a92a52b5b63a9'),
  spindle('lumi_mind', 'Archkr/Lumiverse-LumiMind', '8c1726e73f2afc09e6c3ea33df06309c9248b52d'),
  spindle('lumi_stage', 'Archkr/Lumiverse-LumiStage', 'f4be241566892e012ee8406423626a01b6121bc3'),
  spindle('lumi_state', 'Archkr/Lumiverse-LumiState', '3dc4ebf21053fa24917117f84a8344ac6f6c83da'),
  spindle(
    'lumi_weather',
    'Archkr/Lumiverse-LumiWeather',
    'e7ecfea6451b8d2c7518f9976dfbfcb323643631',
  ),
  spindle('agent_world', 'Archkr/Lumiverse-LumiWorld', 'b2d012adaf4eaadbde6b63661a16f26fda60a99c'),
  spindle(
    'megumin_suite',
    'Archkr/Lumiverse-Megumin-Suite',
    'b44055c1373a9da7e47a67ae5476e083bc94db04',
  ),
  spindle('column_layout', 'B1smuthN1to/LumiColumn', '65b0bd588fd84acc10aafa49cfd13b5d2bfd9596'),
  spindle('psyche', 'Brendan-McKeag/Lumiverse-Psyche', '85c4b4eb9288e67b1256503b7e1a753b4fed2827'),
  spindle(
    'date_simulator_continuity_engine',
    'CreativityPod/lumiverse-date-simulator-continuity-engine',
    '968d1b80ae87366225fbd7b461076d99203f79e3',
  ),
  spindle('goalify', 'Guartis/Goalify', 'bf97ecc26174c0527b6e11ae2d6a948006c681ab'),
  spindle('notebook', 'Jrock2722/lumiverse-notebook', 'e7b9716faf94c0d439b6eea563c79e86366858d2'),
  spindle(
    'bio_tracker',
    'RandomWord23/lumiverse-bio-tracker',
    'b80ce1316aa10262f4c771168fa78ab0bc76e3f2',
  ),
  spindle(
    'scenemap',
    'Tantoofaaz777/SceneMap-Lumiverse',
    '507836f0b773d27780954e8bb399d8252cb643e6',
  ),
  spindle('summary_plus', 'Tantoofaaz777/SummaryPlus', '3d77d8a2b12d08d38d821546b21d9a61eb96aecc'),
  spindle('threadverse', 'Tantoofaaz777/Threadverse', '48b6f216831e430744c06dc6ee02276d9a381893'),
  spindle(
    'agentic_preset_composer',
    'TheLiquorPriest/agentic-preset-composer',
    'faea1f8b1983bef6d2668276d11064e1fd36798e',
  ),
  spindle(
    'llm_context_translator_plus',
    'Useeeeeerr/lumiverse_translator',
    '75c6d0c96e592b2581f90b4c4b57da96c7344004',
  ),
  spindle(
    'mode_toggles',
    'catofwonders/ModeTogglesSpindleFork',
    '86e61568ebdd87ffa6b4741a8c7f7e352534fe7a',
  ),
  spindle(
    'structured_prefill',
    'catofwonders/StructuredPrefillSpindleFork',
    '33ec6d98ddf41ee31e8f56704a0f941e93c04fa0',
  ),
  spindle(
    'prompt_viewer',
    'cfigure/Lumiverse-prompt-viewer',
    'bae0b0a17f445a6527d923670c99e04bda7dbe2e',
  ),
  spindle(
    'sao_cardinal_system',
    'clowver-ka/sao-cardinal-system',
    '39d42f5497dd43080e29391a28dbb42b86595bd2',
  ),
  spindle(
    'danny_tracker',
    'dantalionsama/danny_tracker',
    'a40af65930ea884bf77e6ba8c1318557c88875e6',
  ),
  spindle('notes', 'dantalionsama/notes', '896c39ac651e5924427a5271cefd0248b60ca3fe'),
  spindle(
    'loomos_command_deck',
    'drinkwaterdrink/Loom-OS',
    'd5132e0a638baf6d0dc9199f635ab1c05cc08d2a',
  ),
  spindle(
    'tracktor',
    'drinkwaterdrink/Tracktor-Lumiverse',
    'c3be50c3f3397c9724f16ae3e32806907947cae3',
  ),
  spindle(
    'lorebook_web_scraper',
    'elfaelia/lorebook-web-scraper',
    '5720ab5968c78950172f8fd9a282588e00964f3b',
  ),
  spindle(
    'chronicle',
    'j-dandelion/Lumiverse-Chronicle',
    'acdcdf6e6fa7ed10ba7d8462f1e4817ea94e758c',
  ),
  spindle(
    'story_engine',
    'luizram17/story-engine-lumiverse',
    'c4a9d34c9f899266218a924792b79037452810de',
  ),
  spindle(
    'lumiverse_chatroom',
    'prolix-oc/Lumiverse-ChatRoom',
    '91795b5512b6a0bb9aab3d00565c041ae098ef90',
  ),
  spindle(
    'silly_sim_tracker',
    'prolix-oc/Lumiverse-SimTracker',
    '428e063a100cbce2df1bf57c4f15d076bc45ca6e',
  ),
  spindle(
    'spotify_controls',
    'prolix-oc/Lumiverse-SpotifyControls',
    '2ee6d995978a57691c34ad7de151b6f9208522ca',
  ),
  spindle(
    'subsonic_controls',
    'prolix-oc/Lumiverse-SubsonicControls',
    'e5dc388b370689d36d224e6981c46417240d5070',
  ),
  spindle(
    'lumiverse_timeline',
    'prolix-oc/Lumiverse-XTimeline',
    'd353ed926a8b607bc88864117ee47a110e66dcbb',
  ),
  spindle(
    'author_notes',
    'B1smuthN1to/Lumi-Author-Notes',
    '664a4231042accb9d6993984cb38e524bf362c0f',
  ),
  spindle(
    'story_weather',
    'Archkr/Lumiverse-StoryWeather',
    '6b579514730e5eb282a313e9f5e0d35d514dbf8c',
  ),
  spindle(
    'megumin_suite',
    'Arif-salah/Megumin-Suite-Lumiverse',
    'd1db2b8e51ba29827f6f34a9b45c6daba9d85b72',
    'megumin_suite_fork',
  ),
  spindle(
    'tracktor',
    'drinkwaterdrink/Tracktor-ANTIGRAVITY',
    '0094c45a7f0ec797c2b9a17c12565dcdf05ca554',
    'tracktor_fork',
  ),
  spindle(
    'multi_image_gen',
    'EmpeQ17/Lumiverse-Multi-Image-Gen',
    'c402a39a843925932924ab9390746ea014cf50f4',
  ),
  spindle('canvas', 'j-dandelion/Lumiverse-Canvas', '6dac7eaa6bfba04bb6b20dcfe245ee37eb5deca9'),
  spindle('lumirealm', 'Archkr/Testin', '22aafb6bcf10cdab91409a0121d9aa0632468b6d'),
  spindle('lumi_books', 'Tantoofaaz777/LumiBooks', 'a1e00777cb0d368750bcab1ee4869ac84a6b96c7'),
  spindle(
    'ai_character_rewriter',
    'cidneycidoso/aislop',
    '3ee38b45f073e3b73ec107e86a476a34a3f57655',
  ),
  spindle(
    'symmetrical_multi_message',
    '626andup-cmyk/Chat-Style-Extension-for-Lumiverse',
    'cb69783eeaa6ae76c08b6bf86b5b16840ef6ab59',
  ),
  spindle(
    'autoimg_tag_replacer',
    'sca255/lumiverse-autoimg',
    '2587831347f26a65ca2b334811f09414268f152d',
  ),
  spindle(
    'response_instructions',
    'bumyann/Lumiverse-Saucepan-Seasoning',
    '0c4da71a2fc21039be43c9432db7d4f85fae38d4',
  ),
  shipped('empty-response'),
  shipped('exploration-drift'),
  shipped('max-tokens-continue'),
  shipped('surface-completion-nudge'),
  shipped('task-progress-nudge'),
  shipped('tool-error'),
  shipped('tool-result-truncate'),
  pandora('brave-search'),
  pandora('exa-search'),
  pandora('perplexity-search'),
  pandora('tavily-search'),
];
