// Stands in for a model: a server on loopback that speaks Chat Completions and knows one trick.
// "pay e1" becomes a call of the tool that pays, everything else a call of the tool that lists.
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

export async function startModel() {
  const server = createServer(async (request, response) => {
    const { messages } = await json(request);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (delta, finish_reason = null) =>
      response.write(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
      );
    const last = messages.at(-1);
    if (last.role === 'tool') {
      send({ content: `The tool says: ${last.content}` });
      send({}, 'stop');
    } else {
      const id = /pay (\w+)/.exec(last.content)?.[1];
      const call =
        id === undefined
          ? { name: 'expenses__list', arguments: '{}' }
          : { name: 'expenses__pay', arguments: JSON.stringify({ id }) };
      const tool = { index: 0, id: `call_${messages.length}`, type: 'function', function: call };
      send({ tool_calls: [tool] });
      send({}, 'tool_calls');
    }
    response.end('data: [DONE]\n\n');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    close: () => server.close(),
  };
}
