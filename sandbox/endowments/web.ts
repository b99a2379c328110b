import type { Endowed, Endowment } from './endowment.js';
import { absentWebSocket } from './absent-web-socket.js';
import { channelClasses } from './events/channel.js';
import { blobClasses } from './fetch/blob.js';
import { formDataClass } from './fetch/form-data.js';
import { Headers } from './fetch/headers.js';
import { requestClass } from './fetch/request.js';
import { responseClasses } from './fetch/response.js';
import { ReadableStream, streamInternals } from './streams/readable-stream.js';
import {
  ByteLengthQueuingStrategy,
  CountQueuingStrategy,
  strategyInternals,
} from './streams/strategies.js';
import { makeTextStreams } from './streams/text-streams.js';
import { TransformStream, transformInternals } from './streams/transform-stream.js';
import { sinkInternals, WritableStream } from './streams/writable-stream.js';

/**
 * The web's classes for data: bodies, streams, and channels inside one compartment. They compute
 * only, so they need no permission. All are our own: those of the platform would lead plugin code to
 * objects of the host's realm.
 */
export const web: Endowment = {
  globals: [
    'Headers',
    'Request',
    'Response',
    'FormData',
    'Blob',
    'File',
    'ReadableStream',
    'WritableStream',
    'TransformStream',
    'TextEncoderStream',
    'TextDecoderStream',
    'ByteLengthQueuingStrategy',
    'CountQueuingStrategy',
    'MessageChannel',
    'MessagePort',
    'MessageEvent',
    'CustomEvent',
  ],
  make: (capabilities): Endowed => {
    const { Blob, File } = blobClasses(capabilities);
    const { revoke, classes } = channelClasses(capabilities);
    harden([...streamInternals, ...sinkInternals, ...transformInternals, ...strategyInternals]);
    return {
      globals: {
        Headers,
        Request: requestClass(capabilities),
        Response: responseClasses(capabilities).Response,
        FormData: formDataClass(capabilities),
        Blob,
        File,
        ReadableStream,
        WritableStream,
        TransformStream,
        ...makeTextStreams(capabilities.text),
        ByteLengthQueuingStrategy,
        CountQueuingStrategy,
        ...classes,
      },
      forDependencies: { WebSocket: absentWebSocket(capabilities) },
      revoke,
    };
  },
};
