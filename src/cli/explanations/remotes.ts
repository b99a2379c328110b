export const remoteCodes = {
  REMOTE_FAILED: {
    title: 'the server of the tool failed',
    meaning:
      'A server of tools refused a call, redirected it, or answered with what cannot be used.',
    remedy: 'The message says what it answered. It is for whoever runs that server to mend.',
  },
  REMOTE_CHANGED: {
    title: 'the tool is not what was reviewed',
    meaning: 'A server describes one of its tools otherwise than when its definition was pinned.',
    remedy: 'Look at what changed, and pin it anew if it is what you want.',
  },
} as const;
