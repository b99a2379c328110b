export { createMcpHandler } from './mcp/handler.js';
export type { McpHandler } from './mcp/handler.js';
export { serveMcpStdio } from './mcp/stdio.js';
export type { McpStdio } from './mcp/stdio.js';
export type { McpOptions } from './mcp/options.js';
