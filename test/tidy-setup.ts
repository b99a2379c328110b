import { afterAll } from 'vitest';
import { tidy } from './tidying.js';

afterAll(tidy);
