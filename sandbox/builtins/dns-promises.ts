export { promises as builtin } from './dns.js';
