import type { Model, ModelReply } from '../model.js';
import { textOfBlocks } from '../message.js';
import { failed } from './endpoint.js';

/** A model that says what it was given to say, reply after reply: for trying and testing. */
export function scriptedModel(replies: readonly ModelReply[]): Model {
  let said = 0;
  return {
    respond: (_request, { onText }) => {
      const reply = replies[said];
      said += 1;
      if (reply === undefined) {
        return Promise.reject(
          failed(`The script has ${replies.length} replies, and the model was asked for one more.`),
        );
      }
      const text = textOfBlocks(reply.content);
      if (text !== '') onText(text);
      return Promise.resolve(reply);
    },
  };
}
