/**
 * Whether a name is a global that a plugin may find: what SES leaves in a compartment, and what an
 * endowment may add. An assignment to any other undeclared name is a forgotten declaration.
 */
export function isKnownGlobal(name: string): boolean {
  return KNOWN.has(name);
}

const KNOWN = new Set(
  [
    'AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Boolean DataView',
    'Date Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function',
    'Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise',
    'Proxy RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer String Symbol SyntaxError',
    'TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef',
    'WeakSet WebAssembly Compartment HandledPromise ModuleSource assert harden lockdown decodeURI',
    'decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite isNaN',
    'parseFloat parseInt undefined unescape',
    'AbortController AbortSignal Blob Buffer DOMException Event EventTarget File FormData Headers',
    'ReadableStream Request Response TextDecoder TextEncoder TransformStream URL URLSearchParams',
    'WritableStream atob btoa clearImmediate clearInterval clearTimeout console crypto env exports',
    'fetch global module navigator performance powers process queueMicrotask readFile require self',
    'setImmediate setInterval setTimeout storage structuredClone window',
  ]
    .join(' ')
    .split(' '),
);
