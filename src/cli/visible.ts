export { jsonLine, jsonLines, visible, visibleLines } from '../visible.js';
