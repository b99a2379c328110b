import { strict } from './assert.js';
import { offer } from './denied.js';

export const builtin: object = offer('assert', Object.assign(strict, { strict }));
