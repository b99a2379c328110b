import type { Engine } from '../../../../src/index.js';
import { makeExtension, registering } from '../../../engine/extension-on-disk.js';
import { startEngine } from '../../../engine/plugin-on-disk.js';

const source = `
  ${registering('search', { display_name: 'Search', council_eligible: true, parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] } })}
  ${registering('fails', { council_eligible: true })}
  ${registering('hangs', { council_eligible: true })}
  ${registering('not_for_councils')}
  ${registering('odd__name', { council_eligible: true, inline_available: true })}
  let calls = [];
  spindle.on('TOOL_INVOCATION', async ({ toolName, args, councilMember, contextMessages }) => {
    calls.push(toolName);
    if (toolName === 'fails') throw new Error('boom');
    if (toolName === 'hangs') await new Promise(() => {});
    if (toolName === 'not_for_councils') return calls.join();
    return [councilMember?.name ?? 'nobody', args.query ?? 'no query', contextMessages?.at(-1)?.content ?? 'no chat', 'context' in args, '__deadlineMs' in args].join(' | ');
  });`;

/** A member that always takes part. */
export const member = (more: object): object => ({
  memberId: 'lumi-0001',
  name: 'Lumi',
  chance: 100,
  ...more,
});
export const cycle = { messages: [{ role: 'user', content: 'hello' }] };

/** An engine with one extension, whose tool `not_for_councils` tells which of its tools were called. */
export async function start(identifier = 'ext'): Promise<Engine> {
  return startEngine([makeExtension({ identifier, source })]);
}
