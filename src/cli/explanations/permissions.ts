export const permissionCodes = {
  INVALID_PERMISSION: {
    title: 'a permission cannot be read',
    meaning: "The text of a permission in the manifest or in the host's grant has no meaning.",
    remedy: 'Write it as the message shows, e.g. "api.example.com" for network.',
  },
  TIME_DENIED: {
    title: 'telling the time is not granted',
    meaning: 'The plugin used Date.now(), new Date() or the like without the time permission.',
    remedy: 'Add "time": true to the permissions in the manifest, and let the host grant it.',
  },
  RANDOM_DENIED: {
    title: 'randomness is not granted',
    meaning: 'The plugin used Math.random() without the random permission.',
    remedy: 'Add "random": true to the permissions in the manifest, and let the host grant it.',
  },
  NETWORK_DENIED: {
    title: 'network access denied',
    meaning:
      'The plugin asked for a host that it did not declare or was not granted, or for a private address.',
    remedy:
      "Add the host to permissions.network in the manifest, and let the host grant it. Private addresses open only by an operator's host override.",
  },
  ENVIRONMENT_DENIED: {
    title: 'the variable is not granted',
    meaning:
      'The plugin asked for an environment variable that it did not declare or was not granted.',
    remedy: 'Add the name to permissions.env in the manifest, and let the host grant it.',
  },
  FILESYSTEM_DENIED: {
    title: 'the file is not granted',
    meaning:
      'The plugin asked for a file outside of the path prefixes that it declared and was granted.',
    remedy: 'Add the path to permissions.fs in the manifest, and let the host grant it.',
  },
  STORAGE_DENIED: {
    title: 'storage is not granted, or the path is none of its own',
    meaning:
      'The plugin used its storage without the storage permission, or a path that leads out of it.',
    remedy:
      'Add "storage": true to the permissions in the manifest, and let the host grant it. Paths are relative to the storage.',
  },
  STORAGE_FAILED: {
    title: 'a permitted operation in storage did not succeed',
    meaning: 'There is no such file, it is a directory, or a directory is not empty.',
    remedy: 'Check the path: it counts from the top of the storage.',
  },
  STORAGE_LIMIT: {
    title: 'storage ran into a cap',
    meaning: 'The plugin has used up its bytes or files, or one file or path is too large.',
    remedy:
      'Delete what is no longer needed, or raise limits.maxStorageBytes, maxStorageFiles or maxStorageFileBytes.',
  },
  POWER_DENIED: {
    title: 'a power of the host is not granted',
    meaning: 'The plugin asked for something that the host lends by name, without its permission.',
    remedy: 'Add the name to permissions.powers in the manifest, and let the host grant it.',
  },
  CREDENTIAL_MISSING: {
    title: 'a credential that the plugin needs is missing',
    meaning:
      'The plugin says in its manifest that it needs a credential, and the host has none for it, or has not granted it the power "credentials".',
    remedy: "Give the engine's option credentials a text for it, and let the host grant it.",
  },
  POWER_UNAVAILABLE: {
    title: 'the host does not provide that power',
    meaning: "The plugin may use the power, but the engine's options define none of that name.",
    remedy: "Define it in the engine's powers: { name, arguments, result, risk, handler }.",
  },
  POWER_INVALID: {
    title: 'the arguments of a power do not fit',
    meaning: 'What the plugin handed to a power of the host is not what its schema describes.',
    remedy: 'Change the arguments as the message says.',
  },
  POWER_FAILED: {
    title: 'a power of the host failed',
    meaning:
      "The host's code for the power threw, ran out of time, or answered what its own schema does not allow.",
    remedy: "Look into the host's log: the mistake is the host's, or of what it stands for.",
  },
  POWER_LIMIT: {
    title: 'a power ran into a cap',
    meaning: 'Too many uses at once, or arguments or a result of too many bytes.',
    remedy: 'Ask for less at once.',
  },
  PERMISSION_REVOKED: {
    title: 'the permission was taken away',
    meaning: 'The host took the permission away while the plugin ran.',
    remedy: 'Grant it again and call again.',
  },
  BUILTIN_DENIED: {
    title: 'a Node built-in is not available',
    meaning:
      "The plugin used a module of Node's (node:fs, node:child_process …) that no permission gives.",
    remedy:
      'Use fetch, readFile or env with the matching permission, or a library that needs no Node.',
  },
  HOST_MODE_DENIED: {
    title: 'running unconfined is not allowed',
    meaning: 'The plugin asks to run with the full power of a process ("sandbox": "host").',
    remedy:
      "If you trust it as you trust your own code, allow it by id: --allow-host ID, or hostMode in the engine's options.",
  },
  NETWORK_FAILED: {
    title: 'a permitted request did not succeed',
    meaning:
      'The host name does not resolve, or the connection was refused, reset, or had a bad certificate.',
    remedy: 'Check the address and whether its server runs.',
  },
  NETWORK_LIMIT: {
    title: 'a request ran into a cap',
    meaning:
      'The request or its response is larger or slower than the network broker allows, or too many are open.',
    remedy: 'Ask for less at once, or close what is no longer read.',
  },
  FILESYSTEM_FAILED: {
    title: 'a permitted read did not succeed',
    meaning: 'The file does not exist or is not a regular file.',
    remedy: "Check the path. Relative paths count from the plugin's directory.",
  },
  FILESYSTEM_LIMIT: {
    title: 'a read ran into a cap',
    meaning: 'The file is larger than the filesystem broker reads.',
    remedy: 'Read smaller files.',
  },
  APPROVAL_REQUIRED: {
    title: 'the tool asks first, and nobody could be asked',
    meaning:
      'The tool requires approval, and there is neither a terminal, nor --yes, nor an approver.',
    remedy:
      'Run it at a terminal, add --yes if you approve of every call, or give the engine an approve function.',
  },
  APPROVAL_DENIED: {
    title: 'the call was not approved',
    meaning: 'Somebody was asked whether the tool may run, and said no.',
    remedy:
      'Call again and approve, or change the input. `bulkhead rules list` shows what rules deny.',
  },
  APPROVAL_TIMEOUT: {
    title: 'nobody answered in time',
    meaning: 'Somebody was asked whether the tool may run, and did not answer. It was not a no.',
    remedy: 'Call again when somebody is there, or raise limits.approvalTimeoutMs.',
  },
  EFFECT_DENIED: {
    title: 'it said that it only reads',
    meaning:
      'A tool that declares that it only reads was about to send a request that changes something, and that was not approved.',
    remedy:
      'Approve the request when it is asked about, or have the tool declare what it does: readOnlyHint false, or a risk above low.',
  },
  INVALID_RULES: {
    title: 'the rules cannot be read',
    meaning: 'The file of rules is broken, and nothing is decided by half of it.',
    remedy: 'Correct the place that the message names, or remove the file to start without rules.',
  },
  POLICY_DENIED: {
    title: 'the tool is not offered here',
    meaning:
      'A policy offers tools by category or blocks them by name, or nobody attends the run and the tool may not run unattended.',
    remedy: 'Add its category to allowedToolCategories, or call it where somebody attends.',
  },
} as const;
