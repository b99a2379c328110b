/** Turns of a conversation with a model, and the models themselves. */
export { anthropicModel } from '../agent/models/anthropic.js';
export { openAiModel } from '../agent/models/openai.js';
export { scriptedModel } from '../agent/models/scripted.js';
export type { Endpoint } from '../agent/models/endpoint.js';
export type { Agent } from '../agent/agent.js';
export type {
  AgentOptions,
  Compact,
  ExitReason,
  TurnEvent,
  TurnInput,
  TurnResult,
} from '../agent/options.js';
export type { Block, Message } from '../agent/message.js';
export type { Model, ModelReply, ModelRequest, ModelStream, ModelTool } from '../agent/model.js';
