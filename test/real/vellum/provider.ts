/** What a model answers in Vellum. Both runs use it, so it imports nothing. */
export function replyOf(text: string): {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly stopReason: string;
  readonly model: string;
} {
  return { content: [{ type: 'text', text }], stopReason: 'end_turn', model: 'model-1' };
}
