import Stream from 'readable-stream/lib/stream.js';
import { offer } from './denied.js';

export const promises: object = offer('stream/promises', Stream.promises);

export const builtin: object = offer('stream', Stream);
