export type { CouncilCycle, HistoryEntry } from './chat-context.js';
export { type Dice, makeSeededDice } from './contribute.js';
export { type Council, type CouncilOptions, createCouncil, type Deliberation } from './council.js';
export type { CouncilToolResult } from './deliberation.js';
export type { InlineFunction, InlineGeneration } from './inline.js';
export type {
  CouncilMember,
  CouncilSettings,
  CouncilToolsSettings,
  SidecarConfig,
} from './settings.js';
export type {
  CouncilTool,
  PromptTool,
  ResolveSidecar,
  SidecarModel,
  SidecarRequest,
} from './tools.js';
