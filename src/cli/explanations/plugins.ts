export const pluginCodes = {
  INVALID_LOCK: {
    title: 'the lock file cannot be read',
    meaning: 'bulkhead.lock.json is broken, and nothing runs by half of it.',
    remedy: 'Take it back from version control, or correct the place that the message names.',
  },
  NOT_LOCKED: {
    title: 'nobody accepted it',
    meaning:
      'The plugin is not in the lock file, or it is another than the one that is, and that is not kept on this machine.',
    remedy: 'Look at it and accept it: bulkhead add <plugin-dir>, or bulkhead update <id>.',
  },
  UPDATE_WAITS: {
    title: 'an update waits to be accepted',
    meaning:
      'What lies in the directory of the plugin is not what was accepted. What was accepted runs on, from what was kept.',
    remedy: 'See what changed with bulkhead diff <id>, and accept it with bulkhead update <id>.',
  },
  PLUGIN_NOT_FOUND: {
    title: 'no plugin there',
    meaning: 'The directory does not exist, or holds no manifest of a format that Bulkhead knows.',
    remedy: 'Name the directory that holds the manifest, e.g. pandora.manifest.json.',
  },
  INVALID_MANIFEST: {
    title: 'the manifest is not valid',
    meaning:
      'The manifest is not JSON, or does not follow its schema. The message names each place.',
    remedy: 'Correct the manifest where the message says.',
  },
  BUNDLE_FAILED: {
    title: 'the plugin could not be built',
    meaning:
      'An import cannot be resolved, a file has a syntax error, or something was imported that cannot run in a sandbox.',
    remedy:
      "Correct the line that the message names. Dependencies have to be in the plugin's own node_modules.",
  },
  OUTSIDE_PLUGIN: {
    title: 'a path leads out of the plugin',
    meaning:
      'An entry, an import or a link of the plugin leads to a file outside of its directory.',
    remedy: 'Copy what the plugin needs into its directory.',
  },
  SES_INCOMPATIBLE: {
    title: 'the code cannot run under SES',
    meaning:
      "The code changes JavaScript's built-in objects, or does something else that a locked-down realm does not allow.",
    remedy:
      'Use a version of the code that leaves built-in objects alone; the message says what was attempted.',
  },
  NAME_COLLISION: {
    title: 'two plugins claim one name',
    meaning: 'Two plugins have the same id, or two tools would have the same exported name.',
    remedy: 'Rename one, or load them in two engines.',
  },
  INVALID_TOOL: {
    title: 'a tool cannot be used',
    meaning:
      'A tool has no id, an id with a colon in it, no execute function, or a part of the wrong type.',
    remedy: "Correct the tool's definition as the message says.",
  },
  INVALID_SCHEMA: {
    title: "a tool's JSON Schema cannot be used",
    meaning:
      'The schema is not valid, refers to another document, or is too large, too deep or too costly to run.',
    remedy:
      'Simplify the schema: no remote $ref, no $async, at most 64 kB, 32 levels and 1000 parts.',
  },
  PLUGIN_INACTIVE: {
    title: 'the plugin is not active',
    meaning:
      'It is disabled, its configuration is incomplete, or a variable that it requires is not set.',
    remedy:
      "Set what the message names: configuration with --config or in the engine's options, variables with --env NAME=VALUE or in the host's environment.",
  },
  LOAD_FAILED: {
    title: 'the plugin threw while it was loaded',
    meaning: "The plugin's modules ran and one of them threw, or did not finish in time.",
    remedy: "Correct the plugin's top-level code; the error shows the line.",
  },
} as const;
