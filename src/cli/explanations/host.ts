export const hostCodes = {
  INVALID_OPTIONS: {
    title: 'wrong usage',
    meaning: 'An option or argument is not what the command or function takes.',
    remedy: 'Run the command with --help, or read the type of the option that the message names.',
  },
  ENGINE_CLOSED: {
    title: 'the engine is closed',
    meaning: 'The engine was closed before the call was made, or while it ran.',
    remedy: 'Call before close(), or create another engine.',
  },
  WALL_MISSING: {
    title: 'a required wall does not stand',
    meaning: 'The host requires a wall round its guests that this machine cannot give.',
    remedy:
      'Run on a machine that has it (`bulkhead demo` shows which stand), or take it out of walls.require.',
  },
  AUDIT_FAILED: {
    title: 'the audit log cannot be kept, or read',
    meaning:
      'The audit log cannot be opened, written or read, or its last record is not what was written. Calls of high risk do not run while it cannot be written.',
    remedy:
      'Where there is none, have one written with --audit FILE. Else look at it with `bulkhead audit verify`: make room on the disk, or move a log that was changed away.',
  },
  MODEL_FAILED: {
    title: 'the model failed',
    meaning:
      'The model of a conversation, or the way to it, failed: its endpoint could not be reached, refused the request, or answered what is no reply.',
    remedy:
      "Read the message: it has the endpoint's own words. Check its address, its key, and the name of the model.",
  },
  INTERNAL: {
    title: 'a fault in Bulkhead',
    meaning:
      'Bulkhead itself did something that it never should. Nothing that a plugin does may cause this.',
    remedy:
      'Report it with the command that shows it. If a plugin can cause it at will, report it as SECURITY.md says.',
  },
} as const;
