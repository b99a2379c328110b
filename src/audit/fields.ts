/**
 * What is kept of each event, member by member: an event may come to hold more than a file should,
 * and nothing gets there that is not named here. `?`: not every record of that type has it.
 */
export const KEPT = {
  'plugin-found': ['plugin', 'directory'],
  'plugin-refused': ['plugin?', 'directory', 'code', 'message'],
  'plugin-loaded': ['plugin', 'entry', 'bundle', 'durationMs'],
  'permissions-granted': [
    'plugin',
    'entry',
    'version?',
    'bundle',
    'confinement',
    'declared',
    'granted',
  ],
  'permission-changed': ['plugin', 'change', 'permissions', 'effective'],
  'guest-started': ['plugin', 'pid'],
  'guest-ended': ['plugin', 'pid', 'cause', 'detail'],
  'call-started': ['call', 'plugin', 'tool', 'bundle'],
  'call-ended': ['call', 'plugin', 'tool', 'outcome', 'code?', 'durationMs'],
  'approval-asked': ['call', 'plugin', 'tool', 'reason?'],
  'approval-given': ['call', 'plugin', 'tool', 'reason?'],
  'approval-refused': ['call', 'plugin', 'tool', 'reason?'],
  'capability-used': [
    'plugin',
    'permission',
    'wanted',
    'call?',
    'among?',
    'outcome?',
    'bytesIn?',
    'bytesOut?',
    'durationMs?',
  ],
  'capability-denied': ['plugin', 'permission', 'wanted', 'call?', 'among?', 'at?', 'outcome?'],
  'secret-inserted': ['plugin', 'secret', 'place', 'host'],
  'secret-withheld': ['plugin', 'secret', 'place', 'host'],
  'secret-scrubbed': ['plugin', 'secret', 'place', 'host'],
  alert: ['plugin', 'level', 'message'],
} as const;

/** What a member of that name holds, in whatever record it is. */
export const FIELD_TYPES: Readonly<Record<string, 'string' | 'number' | 'texts' | 'object'>> = {
  pid: 'number',
  durationMs: 'number',
  bytesIn: 'number',
  bytesOut: 'number',
  bytes: 'number',
  count: 'number',
  through: 'number',
  among: 'texts',
  files: 'texts',
  permissions: 'texts',
  effective: 'object',
  declared: 'object',
  granted: 'object',
};
