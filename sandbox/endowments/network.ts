import type { Endowed, Endowment } from './endowment.js';
import { blobClasses } from './fetch/blob.js';
import { makeFetch } from './fetch/fetch.js';
import { formDataClass } from './fetch/form-data.js';
import { Headers } from './fetch/headers.js';
import { requestClass } from './fetch/request.js';
import { responseClasses } from './fetch/response.js';
import { ReadableStream, streamInternals } from './streams/readable-stream.js';

/**
 * `fetch`, to the hosts that were granted, and the classes that go with it. All of them are our
 * own: a response that was the platform's would lead plugin code to what every other uses.
 */
export const network: Endowment = {
  permission: 'network',
  globals: [
    'fetch',
    'Headers',
    'Request',
    'Response',
    'FormData',
    'Blob',
    'File',
    'ReadableStream',
  ],
  make: (powers): Endowed => {
    const { fetch, revoke, restore } = makeFetch(powers);
    const { Blob, File } = blobClasses(powers);
    harden(streamInternals);
    return {
      globals: {
        fetch,
        Headers,
        Request: requestClass(powers),
        Response: responseClasses(powers).Response,
        FormData: formDataClass(powers),
        Blob,
        File,
        ReadableStream,
      },
      revoke,
      restore: () => {
        restore();
        return undefined;
      },
    };
  },
};
