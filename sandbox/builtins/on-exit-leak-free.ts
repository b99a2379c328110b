const nothing = (): void => {};

/** Registers functions for the end of the process. A guest ends without one: its host takes it away. */
export const builtin: object = {
  register: nothing,
  registerBeforeExit: nothing,
  unregister: nothing,
};
