/** The source of a tool that answers what the expression gives, or what it throws. */
export const caught = (expression: string): string =>
  `async () => { try { return String(await (${expression})) } catch (error) { return 'threw ' + error.message } }`;
