import punycode, { toASCII, toUnicode } from 'punycode/punycode.es6.js';
import { offer } from './denied.js';

export { toASCII, toUnicode };

export const builtin: object = offer('punycode', punycode);
