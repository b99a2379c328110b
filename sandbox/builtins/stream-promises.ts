import { promises } from './stream-ends.js';

export const builtin: object = promises;
