import { generateText } from 'ai';
import { createEngine } from 'bulkhead';
import { aiTools } from 'bulkhead/ai';

/** Compiled with the types of version 7 and of version 6: what a user writes. */
export async function answer(model: Parameters<typeof generateText>[0]['model']): Promise<string> {
  const engine = await createEngine({ plugins: [] });
  const { tools } = aiTools(engine, { tenant: 'acme' });
  const { text } = await generateText({ model, tools, prompt: 'Write to Bob.' });
  return text;
}
