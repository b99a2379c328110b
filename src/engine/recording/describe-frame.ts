import { visible } from '../../visible.js';
import type { ReplayVerdict } from './replay.js';

type Difference = Extract<ReplayVerdict, { readonly same: false }>;

/** Where a replay differs: what was recorded there, or what the plugin did now. */
export type DifferingFrame = Difference['expected'] | Difference['actual'];

/**
 * A frame in one line, e.g. `requested fetch {"url":…}`. `content`: shows a value as text; the frame's
 * values are the plugin's and may hold secrets.
 */
export function describeFrame(frame: DifferingFrame, content: (json: string) => string): string {
  if ('silence' in frame) return `nothing for ${frame.silence} ms`;
  if ('end' in frame) return `the guest ended: ${visible(frame.end)}`;
  if ('bytes' in frame) return `bytes of stream ${frame.stream}: ${content(frame.bytes)}`;
  const { message } = frame;
  switch (message.t) {
    case 'request':
      return `requested ${visible(message.m)} ${content(JSON.stringify(message.p))}`;
    case 'reply':
      return `replied ${content(JSON.stringify(message.v))}`;
    case 'failure':
      return `failed: ${content(message.e.message)}`;
    case 'notice':
      return `sent ${visible(message.m)} ${content(JSON.stringify(message.p))}`;
    default:
      return content(JSON.stringify(message));
  }
}
