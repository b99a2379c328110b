import { makeBrand } from './brand.js';

/**
 * `Intl`, with a `DateTimeFormat` that asks `now` where it is given no date to format: the
 * platform's own would read the clock by itself. The other members know no clock and are the
 * platform's, hardened.
 */
export function makeIntl(feralIntl: typeof Intl, now: (wanted: string) => number): object {
  guardSegments(feralIntl);
  const members = Object.getOwnPropertyDescriptors(feralIntl);
  const intl: object = Object.create(Object.prototype, {
    ...members,
    DateTimeFormat: { ...members.DateTimeFormat, value: makeDateTimeFormat(feralIntl, now) },
  });
  return harden(intl);
}

/**
 * No property of `Intl` leads to the prototypes of what `segment` returns, so hardening `Intl` does
 * not reach them: `segment` does it itself. To make a segmenter here for their sake would cost every
 * guest eight milliseconds.
 */
function guardSegments({ Segmenter }: typeof Intl): void {
  const { prototype } = Segmenter;
  // Another compartment's `Intl` has done it.
  if (Object.isFrozen(prototype)) return;
  const segment: unknown = Reflect.get(prototype, 'segment');
  if (typeof segment !== 'function') return;
  const guarded = {
    segment(this: unknown, text: unknown): unknown {
      const segments: Iterable<unknown> = Reflect.apply(segment, this, [text]);
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

  // Callable without `new`, which a class is not.
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
