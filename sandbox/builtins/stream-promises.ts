export { promises as builtin } from './stream.js';
