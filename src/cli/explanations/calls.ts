export const callCodes = {
  TOOL_NOT_FOUND: {
    title: 'no such tool',
    meaning: 'No tool of the plugin has that name.',
    remedy: 'List the names with `bulkhead tools <plugin-dir>`.',
  },
  INVALID_INPUT: {
    title: 'the input does not fit the tool',
    meaning: "The input does not match the tool's JSON Schema. The message names each place.",
    remedy: 'Correct the input. `bulkhead inspect <plugin-dir>` shows the schema.',
  },
  TOOL_FAILED: {
    title: 'the tool threw',
    meaning: "The plugin's own code threw or rejected.",
    remedy: "It is the plugin's fault or the input's; the error shows the plugin's line.",
  },
  RESULT_INVALID: {
    title: 'the result cannot be copied',
    meaning: 'What the tool returned is circular, or throws where it is read.',
    remedy: 'Return plain data: objects, arrays, strings, numbers, booleans, null.',
  },
  RESULT_TOO_LARGE: {
    title: 'the result is too large',
    meaning: 'What the tool returned is larger, deeper or of more parts than may leave a guest.',
    remedy: 'Return less, or in pages.',
  },
  DEADLINE_EXCEEDED: {
    title: 'the call took too long',
    meaning:
      'The call outlived its deadline and was stopped; a guest that did not stop by itself was killed.',
    remedy:
      "Give it more time (--timeout, the tool's timeout, limits.timeoutMs), or find out what it waits for.",
  },
  CANCELLED: {
    title: 'the call was given up',
    meaning: 'The caller aborted the call.',
    remedy: 'Call again if you still want it.',
  },
  BUSY: {
    title: 'too many calls at once',
    meaning:
      'More calls are under way, and wait, than the plugin or the engine may have. Nothing of this one has run.',
    remedy: 'Try again after retryAfterMs, or raise the limit that the message names.',
  },
} as const;
