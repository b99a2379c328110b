import type { Guard } from './guard.js';

/** The wire protocol: what the host accepts from a guest. */
export const wireGuards: readonly Guard[] = [
  {
    id: 'frame-length-cap',
    stops: 'a length prefix that makes the host allocate gigabytes',
    mutation: 'never',
    tests: ['test/sandbox/wire/framing.test.ts'],
  },
  {
    id: 'chunk-length-bounds',
    stops: 'a chunk that is longer than the cap, or too short to carry its stream id',
    mutation: 'never',
    tests: ['test/sandbox/wire/framing.test.ts'],
  },
  {
    id: 'frame-kind-known',
    stops: 'a frame of an unknown kind',
    mutation: 'remove',
    tests: ['test/sandbox/wire/framing.test.ts'],
  },
  {
    id: 'chunk-copied',
    stops: 'a chunk that is a view of a buffer which the next read overwrites',
    mutation: 'unwrap',
    tests: ['test/sandbox/wire/framing.test.ts'],
  },
  {
    id: 'message-depth-cap',
    stops: 'a message nested so deeply that walking it exhausts the stack',
    mutation: 'never',
    tests: ['test/sandbox/wire/parse.test.ts'],
  },
  {
    id: 'message-node-cap',
    stops: 'a message with more values than the cap',
    mutation: 'never',
    tests: ['test/sandbox/wire/parse.test.ts'],
  },
  {
    id: 'wire-proto-deleted',
    stops: 'an own __proto__ key that a later spread or assignment would apply',
    mutation: 'never',
    tests: ['test/sandbox/wire/parse.test.ts'],
  },
  {
    id: 'wire-error-code-checked',
    stops: 'an error from a guest that carries an error code reserved for the host',
    mutation: 'always',
    tests: ['test/sandbox/wire/parse.test.ts'],
  },
  {
    id: 'wire-id-is-uint32',
    stops: 'an id that is not an unsigned 32-bit integer',
    mutation: 'never',
    tests: ['test/sandbox/wire/parse.test.ts'],
  },
  {
    id: 'request-id-unused',
    stops: 'a request id that is used twice',
    mutation: 'never',
    tests: ['test/sandbox/wire/peer.test.ts'],
  },
  {
    id: 'open-request-cap',
    stops: 'more unanswered requests than the cap',
    mutation: 'never',
    tests: ['test/sandbox/wire/peer.test.ts'],
  },
  {
    id: 'open-request-size-cap',
    stops: 'large requests that together exceed the memory cap while they wait for answers',
    mutation: 'never',
    tests: ['test/sandbox/wire/peer.test.ts'],
  },
  {
    id: 'response-once',
    stops: 'a second response to a request',
    mutation: { replace: [/^.*(\.delete\(| = undefined;).*$/gm, ''] },
    tests: ['test/sandbox/wire/peer.test.ts'],
  },
  {
    id: 'open-stream-cap',
    stops: 'more open streams than the cap, each with a window of memory',
    mutation: 'never',
    tests: ['test/sandbox/wire/peer.test.ts'],
  },
  {
    id: 'stream-credit-checked',
    stops: 'a sender that continues without credit',
    mutation: 'never',
    tests: ['test/sandbox/wire/streams.test.ts'],
  },
  {
    id: 'stream-id-is-integer',
    stops: 'fractional stream ids, without limit, each of which is remembered',
    mutation: 'never',
    tests: ['test/sandbox/wire/streams.test.ts'],
  },
  {
    id: 'stream-accepted-once',
    stops: 'a stream that is delivered twice',
    mutation: 'left',
    tests: ['test/sandbox/wire/streams.test.ts'],
  },
  {
    id: 'unsolicited-rate-cap',
    stops: 'a flood of unsolicited messages',
    mutation: 'never',
    tests: ['test/sandbox/wire/unsolicited.test.ts'],
  },
];
