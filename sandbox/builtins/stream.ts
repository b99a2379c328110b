import Stream from 'readable-stream/lib/stream.js';
import { offer } from './denied.js';
import { beforeSharing as beforeSharingEvents } from './events.js';

export const promises: object = offer('stream/promises', Stream.promises);

/** The base of the streams of other stand-ins, so that they are instances of the plugin's `Readable`. */
export const Readable: typeof Stream.Readable = Stream.Readable;
export const Writable: typeof Stream.Writable = Stream.Writable;
export const Duplex: typeof Stream.Duplex = Stream.Duplex;
export const Transform: typeof Stream.Transform = Stream.Transform;

export const builtin: object = offer('stream', Stream);

/** Called before packages share the classes: one of them would change the streams of all. */
export function beforeSharing(): void {
  beforeSharingEvents();
  Reflect.deleteProperty(Stream, 'setDefaultHighWaterMark');
}
