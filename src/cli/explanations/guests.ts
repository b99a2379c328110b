export const guestCodes = {
  GUEST_START_FAILED: {
    title: 'no guest process could be started',
    meaning: 'The operating system did not start the process, or it did not answer in time.',
    remedy: 'Check limits on processes and memory; the message has the reason.',
  },
  GUEST_CRASHED: {
    title: "the plugin's process ended",
    meaning:
      'The guest process ended by itself in the middle of a call. The next call gets a fresh one.',
    remedy: "Look at the plugin's log. The host is not affected.",
  },
  GUEST_OUT_OF_MEMORY: {
    title: 'the plugin ran out of memory',
    meaning: 'The guest used more memory than it may. The next call gets a fresh one.',
    remedy: 'Raise limits.memoryMb, or let the plugin hold less at once.',
  },
  GUEST_OUT_OF_CPU: {
    title: 'the plugin used up its processor time',
    meaning:
      'The guest computed for longer than it may, in the last minute or in its whole life. Waiting does not count. The next call gets a fresh one.',
    remedy:
      'Raise limits.cpuMs (of limits.cpuWindowMs) or limits.cpuSeconds, or let the plugin compute less.',
  },
  GUEST_KILLED: {
    title: "the plugin's process was stopped",
    meaning:
      'The host stopped the guest for another reason than this call, e.g. the deadline of another one.',
    remedy: 'Call again.',
  },
  PROTOCOL_VIOLATION: {
    title: 'the guest broke the protocol',
    meaning: 'The guest said something that no honest guest says, and was killed.',
    remedy: 'Treat the plugin as hostile. If it is not, report it as a fault of Bulkhead.',
  },
  QUARANTINED: {
    title: 'the plugin is not started for a while',
    meaning:
      'The plugin crashed too often in a short time: its guest died, or ran out of memory or processor time.',
    remedy: 'Wait as long as the message says, or correct the plugin and reload.',
  },
} as const;
