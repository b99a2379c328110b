/** What becomes of a request that changes something, sent by a tool that said that it only reads. */
export type EffectMode = 'ask' | 'audit' | 'off';
