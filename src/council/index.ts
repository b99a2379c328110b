export { createCouncil } from './council.js';
export type { Council, CouncilOptions, Deliberation } from './council.js';
export type { CouncilCycle } from './chat-context.js';
export type { CouncilToolResult } from './deliberation.js';
export { makeSeededDice } from './dice.js';
export type { Dice } from './dice.js';
export type { HistoryEntry } from './history.js';
export type { InlineFunction } from './inline.js';
export type { InlineGeneration } from './inline-generation.js';
export type { ResolveSidecar, SidecarModel, SidecarRequest } from './prompt-tool.js';
export type {
  CouncilMember,
  CouncilSettings,
  CouncilToolsSettings,
  SidecarConfig,
} from './settings.js';
export type { CouncilTool, PromptTool } from './tools.js';
