import { isRecord } from '../../../sandbox/wire/json.js';
import type { Json } from '../../../sandbox/wire/messages.js';
import type { ModelReply } from '../../agent/model.js';
import { reasonOf, usageError } from '../failure.js';

/** A scripted conversation: the prompts of the user and the replies of the model. */
export interface Script {
  readonly system?: string;
  readonly turns: readonly ScriptedTurn[];
}

export interface ScriptedTurn {
  readonly prompt: string;
  /** One for each request to the model in this turn. */
  readonly replies: readonly ModelReply[];
}

/** Reads `{"system"?, "turns": [{"prompt", "replies": [text or {"content", "stopReason"?}]}]}`. */
export function parseScript(text: string): Script {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw wrong(`is not JSON: ${reasonOf(error)}`);
  }
  const { system, turns } = isRecord(value) ? value : {};
  if (!Array.isArray(turns)) throw wrong('has no list "turns"');
  return {
    ...(typeof system === 'string' ? { system } : {}),
    turns: turns.map(parseTurn),
  };
}

function parseTurn(turn: Json, at: number): ScriptedTurn {
  const { prompt, replies } = isRecord(turn) ? turn : {};
  if (typeof prompt !== 'string') throw wrong(`has no text "prompt" in turn ${at + 1}`);
  if (!Array.isArray(replies)) throw wrong(`has no list "replies" in turn ${at + 1}`);
  return { prompt, replies: replies.map((reply: Json) => parseReply(reply, at)) };
}

function parseReply(reply: Json, at: number): ModelReply {
  if (typeof reply === 'string') {
    return { content: [{ type: 'text', text: reply }], stopReason: 'end_turn' };
  }
  const { content, stopReason } = isRecord(reply) ? reply : {};
  if (!Array.isArray(content)) throw wrong(`has a reply without "content" in turn ${at + 1}`);
  const blocks = content.map((block: Json) => {
    const type = isRecord(block) ? block['type'] : undefined;
    if (!isRecord(block) || typeof type !== 'string') {
      throw wrong(`has a block without a "type" in turn ${at + 1}`);
    }
    return { ...block, type };
  });
  return { content: blocks, stopReason: typeof stopReason === 'string' ? stopReason : null };
}

function wrong(why: string): Error {
  return usageError('--script', `the script ${why}`);
}
