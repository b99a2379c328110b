export const hostCodes = {
  INVALID_OPTIONS: {
    title: 'wrong usage',
    meaning: 'The command or function does not accept this option or argument.',
    remedy: 'Run the command with --help, or read the type of the option that the message names.',
  },
  ENGINE_CLOSED: {
    title: 'the engine is closed',
    meaning: 'The engine was closed before or during the call.',
    remedy: 'Make calls before close(), or create another engine.',
  },
  WALL_MISSING: {
    title: 'a required wall is missing',
    meaning: 'The host requires a sandbox wall that this machine does not provide.',
    remedy:
      'Use a machine that provides it (`bulkhead doctor` lists the walls), or remove it from walls.require.',
  },
  AUDIT_FAILED: {
    title: 'the audit log failed',
    meaning:
      'The audit log cannot be opened, read or written, or its last record was changed. Until it can be written, calls of high risk do not run.',
    remedy:
      'Run `bulkhead audit verify`. Free disk space, or move a changed log away. To begin a log, use --audit FILE.',
  },
  MODEL_FAILED: {
    title: 'the language model failed',
    meaning:
      "The model's endpoint was unreachable, refused the request, or sent an invalid response.",
    remedy: "Read the endpoint's text in the message. Check the URL, the key and the model's name.",
  },
  INTERNAL: {
    title: 'a fault in Bulkhead',
    meaning: 'Bulkhead failed in a way that no plugin and no option may cause.',
    remedy:
      'Report the fault with the command that shows it. If a plugin can cause it, report it as SECURITY.md says.',
  },
} as const;

export const pluginCodes = {
  INVALID_ARTIFACT: {
    title: 'the artifact was refused',
    meaning:
      'A packed plugin or its signature was changed, is signed by another key, or is not what was accepted.',
    remedy: 'Get the pack from its author again, or create it: bulkhead pack <plugin-dir>.',
  },
  INVALID_TRUST: {
    title: 'invalid trust file',
    meaning:
      'The file of required and revoked keys cannot be read, so no plugin of a lock file runs.',
    remedy: 'Correct the place that the message names, or restore the file from a backup.',
  },
  INVALID_KEY: {
    title: 'unusable key file',
    meaning:
      'The file of a key or token is missing, has another kind, or can be read by other users.',
    remedy: 'Run chmod 600 on it, name the right file, or create a key: bulkhead keys new sign.',
  },
  INVALID_LOCK: {
    title: 'invalid lock file',
    meaning: 'bulkhead.lock.json cannot be read, so no plugin runs.',
    remedy: 'Restore it from version control, or correct the place that the message names.',
  },
  NOT_LOCKED: {
    title: 'the plugin is not accepted',
    meaning:
      'The lock file does not contain the plugin, or the accepted code is not stored on this machine.',
    remedy: 'Review and accept it: bulkhead add <plugin-dir>, or bulkhead update <id>.',
  },
  UPDATE_PENDING: {
    title: 'an update awaits acceptance',
    meaning:
      'The code in the directory differs from the accepted code. The accepted code still runs.',
    remedy: 'Review it with bulkhead diff <id>, then accept it with bulkhead update <id>.',
  },
  PLUGIN_NOT_FOUND: {
    title: 'no plugin found',
    meaning: 'The directory does not exist, or contains no manifest of a known format.',
    remedy: 'Name the directory of the manifest, e.g. of pandora.manifest.json.',
  },
  INVALID_MANIFEST: {
    title: 'invalid manifest',
    meaning:
      'The manifest is not JSON, or does not match its schema. The message names each place.',
    remedy: 'Correct the manifest at these places.',
  },
  BUNDLE_FAILED: {
    title: 'the build failed',
    meaning:
      'An import does not resolve, a file has a syntax error, or an import cannot run in a sandbox.',
    remedy:
      "Correct the line that the message names. Dependencies must be in the plugin's own node_modules.",
  },
  PACKAGE_REFUSED: {
    title: 'the package was not fetched',
    meaning:
      'npm could not fetch the package, a dependency does not come from a registry with a sha512, or the version is too new.',
    remedy: 'Read the message. Check the name, the version, and the registry in your .npmrc.',
  },
  OUTSIDE_PLUGIN: {
    title: 'a path leads out of the plugin',
    meaning: 'An entry, an import or a link leads to a file outside the plugin directory.',
    remedy: 'Copy the file into the plugin directory.',
  },
  SES_INCOMPATIBLE: {
    title: 'the code is incompatible with SES',
    meaning:
      "The code changes JavaScript's built-in objects, or does something else that SES does not allow.",
    remedy: 'Use a version of the code that does not do what the message names.',
  },
  NAME_COLLISION: {
    title: 'name collision',
    meaning: 'Two plugins have the same id, or two tools have the same exported name.',
    remedy: 'Rename one of them, or load them in two engines.',
  },
  INVALID_TOOL: {
    title: 'invalid tool',
    meaning:
      'A tool has no id, a colon in its id, no execute function, or a field of the wrong type.',
    remedy: "Correct the tool's definition as the message says.",
  },
  INVALID_SCHEMA: {
    title: 'invalid JSON Schema',
    meaning:
      'The schema of a tool is invalid, refers to another document, or is too large, too deep or too slow.',
    remedy:
      '`bulkhead check <plugin-dir>` shows the place. A schema has no remote $ref, no $async, and at most 64 kB, 32 levels and 1000 parts.',
  },
  PLUGIN_INACTIVE: {
    title: 'the plugin is inactive',
    meaning:
      'The plugin is disabled, its configuration is incomplete, or a required variable is not set.',
    remedy:
      "Set what the message names: configuration with --config or the engine's option config, variables with --env NAME=VALUE or in the host's environment.",
  },
  LOAD_FAILED: {
    title: 'the plugin failed to load',
    meaning: 'A module of the plugin threw an error, or loading did not finish in time.',
    remedy: "Correct the plugin's top-level code; the error shows the line.",
  },
} as const;
