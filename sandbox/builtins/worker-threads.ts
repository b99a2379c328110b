import { offer } from './denied.js';

interface Port {
  addEventListener(name: string, listener: (event: { readonly data?: unknown }) => void): void;
  removeEventListener(name: string, listener: (event: { readonly data?: unknown }) => void): void;
  start(): void;
}

type Listener = (value: unknown) => void;

/** A channel of the compartment. Its ports are also emitters, whose listeners get the message itself, as in Node. */
class MessageChannel {
  readonly port1: Port;
  readonly port2: Port;

  constructor() {
    const Channel: unknown = Reflect.get(globalThis, 'MessageChannel');
    if (typeof Channel !== 'function') throw new TypeError('There is no MessageChannel');
    const { port1, port2 }: Record<'port1' | 'port2', Port> = Reflect.construct(Channel, []);
    this.port1 = withEmitter(port1);
    this.port2 = withEmitter(port2);
  }
}

function withEmitter(port: Port): Port {
  const heard = new Map<string, Map<Listener, (event: { readonly data?: unknown }) => void>>();
  const on = (name: string, listener: Listener): Port => {
    const hear = (event: { readonly data?: unknown }): void => listener(event.data);
    const former = heard.get(name) ?? new Map<Listener, typeof hear>();
    heard.set(name, former.set(listener, hear));
    port.addEventListener(name, hear);
    if (name === 'message') port.start();
    return port;
  };
  const off = (name: string, listener: Listener): Port => {
    const hear = heard.get(name)?.get(listener);
    heard.get(name)?.delete(listener);
    if (hear !== undefined) port.removeEventListener(name, hear);
    return port;
  };
  const once = (name: string, listener: Listener): Port => {
    const first: Listener = (value) => {
      off(name, first);
      listener(value);
    };
    return on(name, first);
  };
  return Object.assign(port, { on, off, once, addListener: on, removeListener: off });
}

/** What a program asks about the thread that it runs in, and channels within it. It starts no thread. */
export const builtin: object = offer('worker_threads', {
  isMainThread: true,
  parentPort: null,
  workerData: null,
  threadId: 0,
  resourceLimits: {},
  SHARE_ENV: Symbol.for('nodejs.worker_threads.SHARE_ENV'),
  markAsUntransferable: (): void => undefined,
  // undici marks its objects. A copy of one within the compartment has no power.
  markAsUncloneable: (): void => undefined,
  isMarkedAsUntransferable: (): boolean => false,
  MessageChannel,
  get MessagePort(): unknown {
    return Reflect.get(globalThis, 'MessagePort');
  },
});
