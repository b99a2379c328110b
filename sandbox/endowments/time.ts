import { makeHrtime } from './hrtime.js';
import { lazyRecord } from './lazy-record.js';
import { makeBrand } from './brand.js';
import { makeRevocation } from './denial.js';
import type { Endowed, Endowment, EndowmentCapabilities } from './endowment.js';

/**
 * The clock: `Date`, `Intl` and `performance`. If withheld, `Date` still computes, and every read of
 * the clock throws the denial. `Intl` and `performance` are then absent, as in Pandora. Dependencies have all three,
 * and read 0.
 */
export const time: Endowment = {
  permission: 'time',
  globals: ['Date', 'Intl', 'performance'],
  make: (capabilities): Endowed => endowClock(capabilities, 'held'),
  withheld: (capabilities): Endowed => endowClock(capabilities, 'withheld'),
  withheldInPackage: (capabilities) => {
    const { lenient } = makeClock(capabilities, 'withheld');
    const forDependencies = lenientClock(capabilities, lenient);
    return {
      // Made only for a compartment, not for each package in it.
      get globals() {
        const { Date, Intl } = forDependencies;
        return { Date, Intl };
      },
      forDependencies,
    };
  },
};

function lenientClock({ feralDate, feralIntl }: EndowmentCapabilities, lenient: Readings) {
  return lazyRecord({
    Date: () => makeDate(feralDate, lenient.now),
    // Most packages format and compare texts with it, and read no clock.
    Intl: () => makeIntl(feralIntl, lenient.now),
    performance: () => makePerformance(lenient),
    hrtime: () => makeHrtime(() => lenient.elapsed('process.hrtime')),
  });
}

function endowClock(capabilities: EndowmentCapabilities, from: 'held' | 'withheld'): Endowed {
  const clock = makeClock(capabilities, from);
  const { lenient } = clock;
  let hasAll = from === 'held';
  const makeOthers = (): { readonly Intl: unknown; readonly performance: unknown } => ({
    Intl: makeIntl(capabilities.feralIntl, clock.now),
    performance: makePerformance(clock),
  });
  return {
    globals: {
      Date: makeDate(capabilities.feralDate, clock.now),
      ...(hasAll ? makeOthers() : {}),
    },
    forDependencies: { ...lenientClock(capabilities, lenient) },
    revoke: clock.revoke,
    restore: () => {
      clock.restore();
      if (hasAll) return undefined;
      hasAll = true;
      return makeOthers();
    },
  };
}

/**
 * Reads the time while the permission is granted. Otherwise throws the denial or the revocation.
 */
interface Readings {
  readonly now: (wanted: string) => number;
  readonly elapsed: (wanted: string) => number;
}

interface Clock extends Readings {
  /** The same for dependencies: reads 0 while the permission is not granted. */
  readonly lenient: Readings;
  readonly revoke: () => void;
  readonly restore: () => void;
}

function makeClock(capabilities: EndowmentCapabilities, from: 'held' | 'withheld'): Clock {
  let state: 'held' | 'withheld' | 'revoked' = from;
  const whileHeld = (read: () => number) => {
    return (wanted: string): number => {
      if (state === 'withheld') throw capabilities.denial('time', wanted);
      // guard: clock-revoked
      if (state === 'revoked') throw makeRevocation(capabilities.plugin, 'time', wanted);
      return read();
    };
  };
  let isReported = false;
  const orFixed = (read: () => number) => {
    return (wanted: string): number => {
      // guard: dependency-clock-fixed
      if (state === 'held') return read();
      if (!isReported) capabilities.denial('time', `${wanted}, in a dependency`);
      isReported = true;
      return 0;
    };
  };
  const now = (): number => capabilities.clock.now();
  const elapsed = (): number => capabilities.clock.monotonic();
  return {
    now: whileHeld(now),
    elapsed: whileHeld(elapsed),
    lenient: { now: orFixed(now), elapsed: orFixed(elapsed) },
    revoke: () => {
      if (state === 'held') state = 'revoked';
    },
    restore: () => {
      state = 'held';
    },
  };
}

function makePerformance({ now, elapsed }: Readings): object {
  return {
    now: () => elapsed('performance.now'),
    get timeOrigin(): number {
      return now('performance.timeOrigin') - elapsed('performance.timeOrigin');
    },
  };
}

/**
 * A `Date` that reads the clock through `now` alone. Everything else (a date from its parts,
 * `parse`, `UTC`, subclasses, `instanceof`) works as usual, because the prototype is the realm's
 * own.
 *
 * `now` receives the name of the reader, and throws if the plugin may not know the time. The
 * prototype's `constructor` is lockdown's, which has no clock.
 */
function makeDate(feralDate: DateConstructor, now: (wanted: string) => number): object {
  // Text, a number, a date, or a value that converts to one.
  const makeOne: (part: unknown) => object = (part) => Reflect.construct(feralDate, [part]);
  const make = function Date(this: unknown, ...parts: unknown[]): unknown {
    if (new.target === undefined) return new feralDate(now('Date()')).toString();
    // guard: new-date-needs-permission
    const given = parts.length === 0 ? [now('new Date()')] : parts;
    // The fast path: one argument and this constructor, so the prototype is the same.
    if (new.target === make && given.length === 1) return makeOne(given[0]);
    return Reflect.construct(feralDate, given, new.target);
  };
  Object.defineProperties(make, {
    prototype: { value: feralDate.prototype, writable: false },
    length: { value: feralDate.length },
    ...methods({
      // guard: date-now-needs-permission
      now: () => now('Date.now'),
      parse: feralDate.parse,
      UTC: feralDate.UTC,
    }),
  });
  return make;
}

function methods(record: Readonly<Record<string, unknown>>): PropertyDescriptorMap {
  const descriptors: PropertyDescriptorMap = {};
  for (const [name, value] of Object.entries(record)) {
    descriptors[name] = { value, writable: true, enumerable: false, configurable: true };
  }
  return descriptors;
}

/**
 * `Intl` with a `DateTimeFormat` that calls `now` if no date is given: the platform's would read
 * the clock. The other members do not use the clock and are the platform's, hardened.
 */
function makeIntl(feralIntl: typeof Intl, now: (wanted: string) => number): object {
  guardSegments(feralIntl);
  const members = Object.getOwnPropertyDescriptors(feralIntl);
  const intl: object = Object.create(Object.prototype, {
    ...members,
    DateTimeFormat: { ...members.DateTimeFormat, value: makeDateTimeFormat(feralIntl, now) },
  });
  return harden(intl);
}

/**
 * Hardening `Intl` does not reach the prototypes of the results of `segment`, so `segment` hardens
 * them. Making a segmenter here would cost every guest 8 ms.
 */
function guardSegments({ Segmenter }: typeof Intl): void {
  const { prototype } = Segmenter;
  // Another compartment's `Intl` has hardened it already.
  if (Object.isFrozen(prototype)) return;
  const segment: unknown = Reflect.get(prototype, 'segment');
  if (typeof segment !== 'function') return;
  const guarded = {
    segment(this: unknown, text: unknown): unknown {
      const segments: Iterable<unknown> = Reflect.apply(segment, this, [text]);
      // guard: segments-hardened
      harden([Object.getPrototypeOf(segments), Object.getPrototypeOf(segments[Symbol.iterator]())]);
      return segments;
    },
  };
  Object.defineProperty(prototype, 'segment', { value: guarded.segment });
}

function makeDateTimeFormat(feralIntl: typeof Intl, now: (wanted: string) => number): object {
  const formats = makeBrand<{
    readonly feral: Intl.DateTimeFormat;
    format: ((date?: unknown) => string) | undefined;
  }>('DateTimeFormat');

  const moment = (date: unknown, wanted: string): number =>
    date === undefined ? now(`Intl.DateTimeFormat ${wanted}`) : Number(date);

  // A function, because `Intl` constructors work without `new`.
  const DateTimeFormat = function DateTimeFormat(
    this: unknown,
    locales?: string | string[],
    options?: Intl.DateTimeFormatOptions,
  ): unknown {
    const feral = new feralIntl.DateTimeFormat(locales, options);
    const self: object = Reflect.construct(Object, [], new.target ?? DateTimeFormat);
    formats.give(self, { feral, format: undefined });
    return self;
  };
  const prototype = {
    get format(): (date?: unknown) => string {
      const state = formats.demand(this);
      state.format ??= harden((date?: unknown) => state.feral.format(moment(date, 'format')));
      return state.format;
    },
    formatToParts(date?: unknown): object {
      return formats.demand(this).feral.formatToParts(moment(date, 'formatToParts'));
    },
    formatRange(start: unknown, end: unknown): string {
      return formats.demand(this).feral.formatRange(toMoment(start), toMoment(end));
    },
    formatRangeToParts(start: unknown, end: unknown): object {
      return formats.demand(this).feral.formatRangeToParts(toMoment(start), toMoment(end));
    },
    resolvedOptions(): object {
      return formats.demand(this).feral.resolvedOptions();
    },
  };
  for (const name of Reflect.ownKeys(prototype)) {
    Object.defineProperty(prototype, name, { enumerable: false });
  }
  Object.defineProperties(prototype, {
    constructor: { value: DateTimeFormat },
    [Symbol.toStringTag]: { value: 'Intl.DateTimeFormat' },
  });
  Object.defineProperties(DateTimeFormat, {
    prototype: { value: prototype, writable: false },
    name: { value: 'DateTimeFormat' },
    length: { value: 0 },
    supportedLocalesOf: { value: feralIntl.DateTimeFormat.supportedLocalesOf },
  });
  return DateTimeFormat;
}

function toMoment(date: unknown): number {
  if (date === undefined) throw new TypeError('A range takes two dates');
  return Number(date);
}
