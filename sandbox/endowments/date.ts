/**
 * A `Date` that reads the clock through `now` alone. Everything that needs no clock (a date out of
 * its parts, `parse`, `UTC`, subclasses, `instanceof`) works as it always does, because the
 * prototype is the realm's own.
 *
 * `now` is told what asked for the time, and throws where the plugin may not know it. The
 * prototype's `constructor` is the one that lockdown left there, which has no clock at all.
 */
export function makeDate(feralDate: DateConstructor, now: (wanted: string) => number): object {
  // Text, a number, another date, or whatever has to become one of these.
  const makeOne: (part: unknown) => object = (part) => Reflect.construct(feralDate, [part]);
  const make = function Date(this: unknown, ...parts: unknown[]): unknown {
    if (new.target === undefined) return new feralDate(now('Date()')).toString();
    const given = parts.length === 0 ? [now('new Date()')] : parts;
    // Nearly every date is made of one thing and by this constructor: the prototype is the same.
    if (new.target === make && given.length === 1) return makeOne(given[0]);
    return Reflect.construct(feralDate, given, new.target);
  };
  Object.defineProperties(make, {
    prototype: { value: feralDate.prototype, writable: false },
    length: { value: feralDate.length },
    ...methods({
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
