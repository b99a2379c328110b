import { makeHttp } from './http.js';

export const builtin: object = makeHttp('https');
