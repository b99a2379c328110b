export const callCodes = {
  TOOL_NOT_FOUND: {
    title: 'unknown tool',
    meaning: 'No tool has this name.',
    remedy: 'List the names with `bulkhead tools <plugin-dir>`.',
  },
  INVALID_INPUT: {
    title: 'invalid input',
    meaning: "The input does not match the tool's JSON Schema. The message names each place.",
    remedy: 'Correct the input. `bulkhead inspect <plugin-dir>` shows the schema.',
  },
  TOOL_FAILED: {
    title: 'the tool failed',
    meaning: "The plugin's code threw an error or rejected.",
    remedy: 'Check the input and the line of the plugin that the error shows.',
  },
  RESULT_INVALID: {
    title: 'invalid result',
    meaning: 'The result of the tool cannot be copied: it is circular, or a getter throws.',
    remedy: 'Return plain data: objects, arrays, strings, numbers, booleans or null.',
  },
  RESULT_TOO_LARGE: {
    title: 'result too large',
    meaning: 'The result has more bytes, levels or parts than may leave a guest.',
    remedy:
      'Return less data, or return it in pages. A host allows more bytes with limits.maxResultBytes.',
  },
  DEADLINE_EXCEEDED: {
    title: 'deadline exceeded',
    meaning:
      'The call was stopped at its deadline. A guest that did not stop within the grace time was killed.',
    remedy:
      "Raise the deadline (--timeout, the tool's timeout or limits.timeoutMs), or find out what the tool waits for.",
  },
  CANCELLED: {
    title: 'call cancelled',
    meaning: 'The caller aborted the call.',
    remedy: 'Make the call again if you still need the result.',
  },
  BUSY: {
    title: 'too many calls',
    meaning:
      'The plugin or the engine has reached its limit of running and queued calls. This call did not run.',
    remedy: 'Retry after retryAfterMs, or raise the limit that the message names.',
  },
  PROGRAM_FAILED: {
    title: 'the program cannot continue',
    meaning:
      'A program that calls tools cannot start or be resumed: its log was changed or cannot be written, or the program made other requests than before.',
    remedy: 'Cancel the program, and run it again. The message names the log.',
  },
  PROGRAM_LIMIT: {
    title: 'program too large',
    meaning: 'A program made more requests, or moved more bytes, than one program may.',
    remedy: 'Split the work into several programs.',
  },
  CALL_UNKNOWN: {
    title: 'result unknown',
    meaning:
      'The call of a program had begun when its host ended, or a runner of a fleet did not answer. The call may have had its effect. It was not run again.',
    remedy:
      'Check whether the effect happened. If a second run does no harm, add the tool to the option idempotent.',
  },
} as const;

export const fleetCodes = {
  FLEET_FAILED: {
    title: 'the fleet did not run the call',
    meaning:
      'A gateway could not have the call run by one of its runners. The call did not run. The reason is in details.reason.',
    remedy:
      'Do what the message says. `bulkhead fleet` shows the runners, and docs/fleet.md explains each reason.',
  },
} as const;

export const hookCodes = {
  HOOK_NOT_FOUND: {
    title: 'unknown hook',
    meaning: 'No hook has this name.',
    remedy: 'Use one of the names in the message. Bulkhead never runs other files in hooks/.',
  },
  HOOK_FAILED: {
    title: 'the hook failed',
    meaning:
      "The plugin's code threw an error or rejected. Its changes were discarded. With some semantics the chain also stops.",
    remedy: "Check the context and the plugin's code; the message comes from the plugin.",
  },
  INVALID_HOOK_CHANGE: {
    title: 'invalid change of a context',
    meaning:
      'The hook wrote an invalid value into its context, e.g. a message without a role. Its changes were discarded.',
    remedy: 'Correct the field that the message names. Messages are lists of blocks with a type.',
  },
} as const;

export const remoteCodes = {
  REMOTE_FAILED: {
    title: 'the tool server failed',
    meaning: 'A tool server refused a call, redirected it, or sent an invalid response.',
    remedy: "Read the server's response in the message. The operator of that server can fix it.",
  },
  REMOTE_CHANGED: {
    title: 'the tool definition changed',
    meaning: 'A server changed the definition of a tool after the definition was pinned.',
    remedy: 'Review the change, then accept it with `bulkhead remotes --accept <id>`.',
  },
} as const;

export const guestCodes = {
  GUEST_START_FAILED: {
    title: 'the guest did not start',
    meaning:
      'The operating system did not start the process, or the process did not respond in time.',
    remedy: 'Read the reason in the message. Check the limits on processes and memory.',
  },
  GUEST_CRASHED: {
    title: 'the guest crashed',
    meaning: 'The guest process ended during a call. The next call gets a new guest.',
    remedy: "Read the plugin's log. The host is not affected.",
  },
  GUEST_OUT_OF_MEMORY: {
    title: 'the guest ran out of memory',
    meaning: 'The guest used more memory than its limit. The next call gets a new guest.',
    remedy: 'Raise limits.memoryMb (--memory), or change the plugin to use less memory at once.',
  },
  GUEST_OUT_OF_CPU: {
    title: 'the guest ran out of processor time',
    meaning:
      'The guest used more processor time than its limit allows in a window or in total. Waiting does not count. The next call gets a new guest.',
    remedy:
      'Raise limits.cpuMs (per limits.cpuWindowMs) or limits.cpuSeconds, or change the plugin to compute less.',
  },
  GUEST_KILLED: {
    title: 'the guest was killed',
    meaning:
      'The host killed the guest for a reason other than this call, e.g. because it did not give up a revoked permission.',
    remedy: 'Make the call again.',
  },
  NEIGHBOUR_ENDED: {
    title: 'the guest was stopped because of another call',
    meaning:
      'Another call in the same guest looped after its caller had given it up, so the host killed the guest. This call had already used a permission, so it may have had effects. The engine does not run such a call again.',
    remedy:
      'Make the call again if that is safe. If it is always safe, name the tool in the option idempotent (--idempotent).',
  },
  PROTOCOL_VIOLATION: {
    title: 'the guest violated the protocol',
    meaning: 'The guest sent a message that the sandbox never sends. The host killed the guest.',
    remedy: 'Treat the plugin as hostile. If it is not, report a fault of Bulkhead.',
  },
  QUARANTINED: {
    title: 'the plugin is in quarantine',
    meaning:
      'The guests of the plugin crashed too often in a short time, or ran out of memory or processor time.',
    remedy: 'Wait for the time in the message, or correct the plugin and reload it.',
  },
} as const;
