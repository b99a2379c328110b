export const permissionCodes = {
  INVALID_PERMISSION: {
    title: 'invalid permission',
    meaning: 'A permission in the manifest or in the grant of the host cannot be parsed.',
    remedy: 'Write the permission as the message shows, e.g. "api.example.com" for network.',
  },
  TIME_DENIED: {
    title: 'time denied',
    meaning: 'The plugin used Date.now(), new Date() or similar without the time permission.',
    remedy:
      'Grant it: --allow time, or the option "grant". If the manifest declares permissions, add "time": true there first.',
  },
  RANDOM_DENIED: {
    title: 'randomness denied',
    meaning: 'The plugin used Math.random() or similar without the random permission.',
    remedy:
      'Grant it: --allow random, or the option "grant". If the manifest declares permissions, add "random": true there first.',
  },
  NETWORK_DENIED: {
    title: 'network access denied',
    meaning: 'The plugin requested a host that is not granted, or a private address.',
    remedy:
      'Grant it: --allow network:HOST, or the option "grant". If the manifest declares permissions, add the host to "network" there first. Only a host override of the operator opens a private address.',
  },
  ENVIRONMENT_DENIED: {
    title: 'environment variable denied',
    meaning: 'The plugin requested an environment variable that is not granted.',
    remedy:
      'Grant it: --allow env:NAME, or the option "grant". If the manifest declares permissions, add the name to "env" there first.',
  },
  FILESYSTEM_DENIED: {
    title: 'file access denied',
    meaning: 'The plugin requested a file outside the granted path prefixes.',
    remedy:
      'Grant it: --allow fs:PATH, or the option "grant". If the manifest declares permissions, add the path to "fs" there first.',
  },
  STORAGE_DENIED: {
    title: 'storage denied',
    meaning: 'The plugin has no storage permission, or the path leads out of its storage.',
    remedy:
      'Grant it: --allow storage, or the option "grant". If the manifest declares permissions, add "storage": true there first. Use paths relative to the storage.',
  },
  STORAGE_FAILED: {
    title: 'storage operation failed',
    meaning: 'The file does not exist, the path is a directory, or a directory is not empty.',
    remedy: 'Check the path. It is relative to the root of the storage.',
  },
  STORAGE_LIMIT: {
    title: 'storage limit reached',
    meaning: 'The plugin reached its limit of bytes or files, or one file or path is too large.',
    remedy:
      'Delete files, or raise limits.maxStorageBytes, maxStorageFiles or maxStorageFileBytes.',
  },
  POWER_DENIED: {
    title: 'power denied',
    meaning: 'The plugin called a power of the host that is not granted.',
    remedy:
      'Grant it: --allow powers:NAME, or the option "grant". If the manifest declares permissions, add the name to "powers" there first.',
  },
  CREDENTIAL_MISSING: {
    title: 'credential missing',
    meaning:
      'The plugin needs a credential to start. The host has none, or did not grant the power "credentials".',
    remedy:
      "Provide the credential (--credential, or the engine's option credentials), and grant the power.",
  },
  POWER_UNAVAILABLE: {
    title: 'power unavailable',
    meaning: "The plugin may use the power, but the engine's options do not define it.",
    remedy: "Define it in the engine's powers: { name, arguments, result, risk, handler }.",
  },
  POWER_INVALID: {
    title: 'invalid arguments of a power',
    meaning: 'The arguments that the plugin passed do not match the schema of the power.',
    remedy: 'Correct the arguments as the message says.',
  },
  POWER_FAILED: {
    title: 'power failed',
    meaning:
      "The host's handler of the power threw an error, timed out, or returned a result that its schema does not allow.",
    remedy: "Read the host's log. The fault is in the host's code, not in the plugin.",
  },
  POWER_LIMIT: {
    title: 'power limit reached',
    meaning:
      'The plugin used a power too often at once, or the arguments or the result are too large.',
    remedy: 'Make fewer calls at once, or pass less data.',
  },
  PERMISSION_REVOKED: {
    title: 'permission revoked',
    meaning: 'The host revoked the permission while the plugin was running.',
    remedy: 'Grant the permission again, then make the call again.',
  },
  BUILTIN_DENIED: {
    title: 'Node module denied',
    meaning:
      'The plugin used a module of Node, e.g. node:child_process, that no permission provides.',
    remedy: 'Use fetch, readFile or env with its permission, or a library that does not need Node.',
  },
  HOST_MODE_DENIED: {
    title: 'running without a sandbox denied',
    meaning: 'The plugin requests to run without a sandbox ("sandbox": "host").',
    remedy:
      "If you trust the plugin like your own code, allow its id: --allow-host ID, or hostMode in the engine's options.",
  },
  NETWORK_FAILED: {
    title: 'request failed',
    meaning:
      'The host name does not resolve, or the connection was refused, was reset or had an invalid certificate.',
    remedy: 'Check the address, and check that the server runs.',
  },
  NETWORK_LIMIT: {
    title: 'request limit reached',
    meaning: 'A request or response was too large or too slow, or too many were open.',
    remedy: 'Request less at once, or close responses that are not read.',
  },
  FILESYSTEM_FAILED: {
    title: 'file read failed',
    meaning: 'The file does not exist, or it is not a regular file.',
    remedy: "Check the path. Relative paths start at the plugin's directory.",
  },
  FILESYSTEM_LIMIT: {
    title: 'file too large',
    meaning: 'The file is larger than the limit for one read.',
    remedy: 'Read smaller files.',
  },
  APPROVAL_REQUIRED: {
    title: 'approval required',
    meaning: 'The tool requires approval, and there is no terminal, no --yes and no approver.',
    remedy:
      'Run the command at a terminal, add --yes to approve every call, or give the engine an approve function.',
  },
  APPROVAL_DENIED: {
    title: 'approval denied',
    meaning: 'The approver or a rule denied the call.',
    remedy:
      'Call again and approve, or change the input. `bulkhead rules list` shows the deny rules.',
  },
  APPROVAL_TIMEOUT: {
    title: 'approval timed out',
    meaning: 'The approver did not answer in time. This is not a denial by a person.',
    remedy:
      'Answer the question with `bulkhead approvals`, then call again with its id. To let calls wait longer, raise limits.approvalTimeoutMs.',
  },
  APPROVAL_INVALID: {
    title: 'approval not valid',
    meaning:
      'The approval is unknown, expired, already answered, already spent, or about another call.',
    remedy:
      'Request a new approval for the call. `bulkhead approvals` lists the questions that can be answered.',
  },
  EFFECT_DENIED: {
    title: 'undeclared write denied',
    meaning:
      'A tool that declares that it only reads tried to send a write, and the write was not approved.',
    remedy: 'Approve the write, or declare it: set readOnlyHint to false, or the risk above low.',
  },
  INVALID_RULES: {
    title: 'invalid rules',
    meaning: 'The file of rules cannot be read, so no call is decided by rules.',
    remedy: 'Correct the place that the message names, or delete the file to remove all rules.',
  },
  STOPPED: {
    title: 'stopped by the operator',
    meaning:
      'The operator stopped everything, this plugin or this tenant. Open calls were ended, and new ones are refused, also after a restart.',
    remedy:
      'bulkhead stop lists what is stopped and why. The operator resumes it with bulkhead resume, or in the console.',
  },
  POLICY_DENIED: {
    title: 'tool blocked by policy',
    meaning:
      "The policy blocks the tool's name or category, or the run is unattended and the tool may not run unattended.",
    remedy: 'Add the category to allowedToolCategories, or make the call in an attended run.',
  },
} as const;
