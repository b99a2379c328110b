// oxlint-disable-next-line no-control-regex -- exactly these characters are what is refused
const TOOL_NAME = /^[^:\u0000-\u001f\u007f]{1,128}$/u;

/** Whether a tool may have that name, or id, here: whose it is is written before a colon. */
export function isToolName(name: unknown): name is string {
  return typeof name === 'string' && TOOL_NAME.test(name);
}
