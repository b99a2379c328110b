import { offer } from './denied.js';

/** Channels without subscribers. Packages publish to them. */
class Channel {
  readonly name: string | symbol;
  readonly hasSubscribers = false;

  constructor(name: string | symbol) {
    this.name = name;
  }

  publish(): void {}
  subscribe(): void {}
  unsubscribe(): boolean {
    return false;
  }
}

export const builtin: object = offer('diagnostics_channel', {
  Channel,
  channel: (name: string | symbol): Channel => new Channel(name),
  hasSubscribers: (): boolean => false,
  subscribe: (): void => undefined,
  unsubscribe: (): boolean => false,
  tracingChannel: (name: string): object => ({
    start: new Channel(`tracing:${name}:start`),
    end: new Channel(`tracing:${name}:end`),
    hasSubscribers: false,
    traceSync: (
      run: (...args: unknown[]) => unknown,
      _: unknown,
      self: unknown,
      ...args: unknown[]
    ) => Reflect.apply(run, self, args),
  }),
});
