export const hookCodes = {
  HOOK_NOT_FOUND: {
    title: 'no such hook',
    meaning: 'There is no hook of that name.',
    remedy: 'The message lists the names. A file of another name in hooks/ is never run.',
  },
  HOOK_FAILED: {
    title: 'the hook threw',
    meaning:
      "The plugin's own code threw or rejected. None of its changes is used; where its dialect says so, no later hook of that chain was run.",
    remedy: "It is the plugin's fault or the context's; the message is the plugin's.",
  },
  INVALID_HOOK_CHANGE: {
    title: 'what the hook changed is not valid',
    meaning:
      'The hook left something in its context that cannot stand there, e.g. a message without a role. None of its changes is used.',
    remedy: 'The message names the field. Messages hold lists of blocks, each with a type.',
  },
} as const;
