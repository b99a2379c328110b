// An MCP server over standard input that says its process's id, and ends when it is told to.
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const tool = (name) => ({ name, inputSchema: { type: 'object' } });

serveStdio(() => {
  const server = new Server({ name: 'mortal', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: [tool('pid'), tool('die')] }));
  server.setRequestHandler('tools/call', ({ params }) => {
    if (params.name === 'die') process.exit(1);
    return { content: [{ type: 'text', text: String(process.pid) }] };
  });
  return server;
});
