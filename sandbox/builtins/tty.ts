import { offer } from './denied.js';

export const builtin: object = offer('tty', { isatty: (): boolean => false });
