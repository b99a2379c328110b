import { afterAll, afterEach } from 'vitest';
import { tidy } from './tidying.js';

afterEach(() => tidy('test'));
afterAll(() => tidy('file'));
