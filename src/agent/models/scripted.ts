import type { Model, ModelReply } from '../model.js';
import { textOfBlocks } from '../message.js';
import { failed } from './endpoint.js';

/** A model that returns the given replies in order, for trials and tests. */
export function scriptedModel(replies: readonly ModelReply[]): Model {
  let next = 0;
  return {
    respond: (_request, { onText }) => {
      const reply = replies[next];
      next += 1;
      if (reply === undefined) {
        return Promise.reject(
          failed(`The script has ${replies.length} replies, and the model was called once more.`),
        );
      }
      const text = textOfBlocks(reply.content);
      if (text !== '') onText(text);
      return Promise.resolve(reply);
    },
  };
}
