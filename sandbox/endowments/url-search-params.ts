import { makeBrand, type Brand } from './brand.js';
import type { EndowmentCapabilities } from './endowment.js';
import { formDecode, formEncode } from './form-urlencoded.js';
import { perCompartment } from './per-compartment.js';
import { demandArguments, isCallable, isObject, toPairs, toScalarText, walk } from './web-idl.js';

export interface SearchParamsState {
  list: [name: string, value: string][];
  /** Updates the URL of these parameters. */
  readonly changed: () => void;
}

export const searchParams: Brand<SearchParamsState> =
  makeBrand<SearchParamsState>('URLSearchParams');

export interface SearchParamsClass {
  new (init?: unknown): object;
  readonly prototype: object;
}

/** The compartment's `URLSearchParams`. */
export const searchParamsClass: (capabilities: EndowmentCapabilities) => SearchParamsClass =
  perCompartment(
    ({ text }) =>
      class URLSearchParams {
        constructor(init?: unknown) {
          const list = isObject(init)
            ? (searchParams
                .read(init)
                ?.list.map(([name, value]): [string, string] => [name, value]) ??
              toPairs(init, toScalarText, 'The argument of URLSearchParams'))
            : formDecode(init === undefined ? '' : toScalarText(init).replace(/^\?/, ''), text);
          searchParams.give(this, { list, changed: () => undefined });
        }

        get size(): number {
          return searchParams.demand(this).list.length;
        }

        append(name: unknown, value: unknown): void {
          const state = searchParams.demand(this);
          demandArguments(arguments.length, 2, 'append');
          state.list.push([toScalarText(name), toScalarText(value)]);
          state.changed();
        }

        delete(name: unknown, value?: unknown): void {
          const state = searchParams.demand(this);
          demandArguments(arguments.length, 1, 'delete');
          const matches = matcher(name, value);
          state.list = state.list.filter((pair) => !matches(pair));
          state.changed();
        }

        get(name: unknown): string | null {
          const state = searchParams.demand(this);
          demandArguments(arguments.length, 1, 'get');
          return state.list.find(matcher(name, undefined))?.[1] ?? null;
        }

        getAll(name: unknown): string[] {
          const state = searchParams.demand(this);
          demandArguments(arguments.length, 1, 'getAll');
          return state.list.filter(matcher(name, undefined)).map(([, value]) => value);
        }

        has(name: unknown, value?: unknown): boolean {
          const state = searchParams.demand(this);
          demandArguments(arguments.length, 1, 'has');
          return state.list.some(matcher(name, value));
        }

        set(name: unknown, value: unknown): void {
          const state = searchParams.demand(this);
          demandArguments(arguments.length, 2, 'set');
          const pair: [string, string] = [toScalarText(name), toScalarText(value)];
          const matches = matcher(pair[0], undefined);
          const first = state.list.findIndex(matches);
          if (first === -1) state.list.push(pair);
          else {
            state.list = state.list.filter((known, index) => index <= first || !matches(known));
            state.list[first] = pair;
          }
          state.changed();
        }

        sort(): void {
          const state = searchParams.demand(this);
          // By code units, as `<` compares text. The sort is stable.
          state.list.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
          state.changed();
        }

        forEach(callback: unknown, self?: unknown): void {
          const state = searchParams.demand(this);
          if (!isCallable(callback)) throw new TypeError('forEach takes a function');
          for (let index = 0; index < state.list.length; index += 1) {
            const [name, value] = state.list[index] ?? ['', ''];
            Reflect.apply(callback, self, [value, name, this]);
          }
        }

        entries(): IterableIterator<[string, string]> {
          const state = searchParams.demand(this);
          return walk((index) => copyPair(state.list[index]));
        }
        keys(): IterableIterator<string> {
          const state = searchParams.demand(this);
          return walk((index) => state.list[index]?.[0]);
        }
        values(): IterableIterator<string> {
          const state = searchParams.demand(this);
          return walk((index) => state.list[index]?.[1]);
        }
        [Symbol.iterator](): IterableIterator<[string, string]> {
          const state = searchParams.demand(this);
          return walk((index) => copyPair(state.list[index]));
        }

        toString(): string {
          return formEncode(searchParams.demand(this).list);
        }

        get [Symbol.toStringTag](): string {
          return 'URLSearchParams';
        }
      },
  );

type Pair = readonly [name: string, value: string];

function matcher(name: unknown, value: unknown): (pair: Pair) => boolean {
  const wanted = toScalarText(name);
  if (value === undefined) return ([known]) => known === wanted;
  const wantedValue = toScalarText(value);
  return ([known, content]) => known === wanted && content === wantedValue;
}

/** A new pair each time, because plugin code may change it. */
function copyPair(pair: Pair | undefined): [string, string] | undefined {
  return pair === undefined ? undefined : [pair[0], pair[1]];
}
