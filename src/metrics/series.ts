/** The labels of one series, in the order in which the metric names them. */
export type Labels = readonly string[];

/** One metric as Prometheus reads it: its lines, without its heading. */
export interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  lines(): string[];
}

export interface Family {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Series that one metric may have; what comes after them is counted as `_other`. */
  readonly maxSeries: number;
}

/** Stands for every plugin, tool and hook beyond the cap: names are strangers' words. */
const OTHER = '_other';

export interface Counter extends Metric {
  add(labels: Labels, by?: number): void;
}

export function makeCounter(family: Family): Counter {
  const series = makeSeries(family, () => ({ value: 0 }));
  return {
    ...family,
    type: 'counter',
    add: (labels, by = 1) => {
      series.of(labels).value += by;
    },
    lines: () => series.all().map(([text, { value }]) => `${family.name}${text} ${value}`),
  };
}

export interface Gauge extends Metric {
  set(value: number): void;
  add(by: number): void;
}

/** A gauge of one value. */
export function makeGauge({ name, help }: Pick<Family, 'name' | 'help'>): Gauge {
  let value = 0;
  return {
    name,
    help,
    type: 'gauge',
    set: (next) => {
      value = next;
    },
    add: (by) => {
      value += by;
    },
    lines: () => [`${name} ${value}`],
  };
}

export interface Histogram extends Metric {
  observe(labels: Labels, value: number): void;
}

export function makeHistogram(family: Family, bounds: readonly number[]): Histogram {
  const series = makeSeries(family, () => ({
    buckets: bounds.map(() => 0),
    count: 0,
    sum: 0,
  }));
  return {
    ...family,
    type: 'histogram',
    observe: (labels, value) => {
      const one = series.of(labels);
      one.count += 1;
      one.sum += value;
      const at = bounds.findIndex((bound) => value <= bound);
      if (at >= 0) one.buckets[at] = (one.buckets[at] ?? 0) + 1;
    },
    lines: () =>
      series.all().flatMap(([text, { buckets, count, sum }]) => {
        let below = 0;
        const rows = bounds.map((bound, index) => {
          below += buckets[index] ?? 0;
          return `${family.name}_bucket${withLe(text, String(bound))} ${below}`;
        });
        return [
          ...rows,
          `${family.name}_bucket${withLe(text, '+Inf')} ${count}`,
          `${family.name}_sum${text} ${sum}`,
          `${family.name}_count${text} ${count}`,
        ];
      }),
  };
}

function withLe(text: string, bound: string): string {
  return text === '' ? `{le="${bound}"}` : `${text.slice(0, -1)},le="${bound}"}`;
}

interface SeriesOf<State> {
  of(labels: Labels): State;
  /** Each with its labels as they are written. */
  all(): readonly (readonly [text: string, state: State])[];
}

function makeSeries<State>({ labels, maxSeries }: Family, fresh: () => State): SeriesOf<State> {
  const known = new Map<string, State>();
  return {
    of: (values) => {
      const text = write(labels, values);
      const state = known.get(text);
      if (state !== undefined) return state;
      if (known.size >= maxSeries) {
        const rest = write(
          labels,
          labels.map(() => OTHER),
        );
        const other = known.get(rest) ?? fresh();
        known.set(rest, other);
        return other;
      }
      const made = fresh();
      known.set(text, made);
      return made;
    },
    all: () => [...known],
  };
}

function write(names: readonly string[], values: Labels): string {
  if (names.length === 0) return '';
  return `{${names.map((name, index) => `${name}="${escape(values[index] ?? '')}"`).join(',')}}`;
}

/** Longer names are cut: a label is no place for a novel. */
const MAX_LABEL = 128;

function escape(value: string): string {
  return value
    .slice(0, MAX_LABEL)
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);
}
