// Types have nothing to run.
export {};
