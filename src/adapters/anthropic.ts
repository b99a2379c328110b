export {
  type AnthropicBlock,
  type AnthropicTool,
  type AnthropicToolResult,
  type AnthropicToolUse,
  runToolUse,
  toAnthropicTools,
  toToolResult,
} from './anthropic-blocks.js';
export {
  type AnthropicRunContext,
  type AnthropicRunnableTool,
  type AnthropicRunnerTools,
  anthropicTools,
} from './anthropic-runner.js';
export type { AdapterApprovals, AdapterOptions, CallReference } from './tool-calls.js';
