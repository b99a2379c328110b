import type { Guard } from './guard.js';

const FRAMING = ['test/sandbox/wire/framing.test.ts'];
const PARSE = ['test/sandbox/wire/parse.test.ts'];
const PEER = ['test/sandbox/wire/peer.test.ts'];
const STREAMS = ['test/sandbox/wire/streams.test.ts'];

/** What a host believes of the bytes that a guest sends. */
export const wire: readonly Guard[] = [
  {
    stops: 'a length prefix that makes the host set gigabytes aside',
    file: 'sandbox/wire/framing.ts',
    code: 'if (length > limits.maxMessageBytes) {',
    without: 'if (false) {',
    tests: FRAMING,
  },
  {
    stops: 'a chunk that is too long, or too short to name its stream',
    file: 'sandbox/wire/framing.ts',
    code: 'if (length < STREAM_ID_BYTES || length > limits.maxChunkBytes + STREAM_ID_BYTES) {',
    without: 'if (false) {',
    tests: FRAMING,
  },
  {
    stops: 'a frame of a kind that does not exist',
    file: 'sandbox/wire/framing.ts',
    code: 'throw new WireViolation(`a frame of kind ${String(kind)}`);',
    without: '',
    tests: FRAMING,
  },
  {
    stops: 'a chunk that is a view of the buffer which the next read overwrites',
    file: 'sandbox/wire/framing.ts',
    code: 'const content = new Uint8Array(bytes.subarray(start + STREAM_ID_BYTES, end));',
    without: 'const content = bytes.subarray(start + STREAM_ID_BYTES, end);',
    tests: FRAMING,
  },
  {
    stops: 'nesting that exhausts the stack of whoever walks a message',
    file: 'sandbox/wire/weigh.ts',
    code: 'if (depth > maxDepth) throw new WireViolation(`a message nested deeper than ${maxDepth}`);',
    without: '',
    tests: PARSE,
  },
  {
    stops: 'a message of more values than anybody wants to walk',
    file: 'sandbox/wire/weigh.ts',
    code: 'if (nodes > maxNodes) throw new WireViolation(`a message of more than ${maxNodes} values`);',
    without: '',
    tests: PARSE,
  },
  {
    stops: 'an own __proto__ that a later spread or assignment would obey',
    file: 'sandbox/wire/parse.ts',
    code: "if (Object.hasOwn(container, '__proto__')) Reflect.deleteProperty(container, '__proto__');",
    without: '',
    tests: PARSE,
  },
  {
    stops: "an error that claims a code which is the host's alone",
    file: 'sandbox/wire/parse.ts',
    code: "...(isWireCode(value['code']) ? { code: value['code'] } : {}),",
    without: "code: value['code'],",
    tests: PARSE,
  },
  {
    stops: 'an id that is no whole number of 32 bits',
    file: 'sandbox/wire/parse.ts',
    code: "if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 0xffffffff) {",
    without: 'if (false) {',
    tests: PARSE,
  },
  {
    stops: 'one request id used twice',
    file: 'sandbox/wire/peer.ts',
    code: 'if (answering.has(id)) throw new WireViolation(`request ${id} was already open`);',
    without: '',
    tests: PEER,
  },
  {
    stops: 'a flood of requests that nobody has answered yet',
    file: 'sandbox/wire/peer.ts',
    code: 'if (answering.size >= limits.maxOpenRequests) {',
    without: 'if (false) {',
    tests: PEER,
  },
  {
    stops: 'large requests that are all held until they are answered',
    file: 'sandbox/wire/peer.ts',
    code: 'if (heldCharacters > limits.maxOpenRequestCharacters) {',
    without: 'if (false) {',
    tests: ['test/sandbox/wire/peer.test.ts'],
  },
  {
    stops: 'a second answer to a request',
    file: 'sandbox/wire/asking.ts',
    code: 'boxes.delete(id);\n    const { waiter } = box;\n    box.waiter = undefined;',
    without: 'const { waiter } = box;',
    tests: PEER,
  },
  {
    stops: 'a flood of streams, each of which may hold a window of memory',
    file: 'sandbox/wire/streams.ts',
    code: 'if (open.size >= limits.maxOpenStreams) {',
    without: 'if (false) {',
    tests: PEER,
  },
  {
    stops: 'a sender that goes on without credit',
    file: 'sandbox/wire/streams.ts',
    code: 'if (stream.ended || stream.waitingBytes > STREAM_WINDOW_BYTES) {',
    without: 'if (false) {',
    tests: STREAMS,
  },
  {
    stops: 'ids of streams without end, each of which is remembered',
    file: 'sandbox/wire/streams.ts',
    code: 'if (!Number.isInteger(id)) throw new WireViolation(`a stream of the number ${id}`);',
    without: '',
    tests: STREAMS,
  },
  {
    stops: 'a stream that is delivered twice',
    file: 'sandbox/wire/streams.ts',
    code: 'if (stream === undefined || stream.accepted) {',
    without: 'if (stream === undefined) {',
    tests: STREAMS,
  },
  {
    stops: 'a flood of what nobody asked for',
    file: 'sandbox/wire/unasked.ts',
    code: 'if (messages > limits.maxUnaskedPerSecond || total > limits.maxUnaskedCharactersPerSecond) {',
    without: 'if (false) {',
    tests: ['test/sandbox/wire/unasked.test.ts'],
  },
];
