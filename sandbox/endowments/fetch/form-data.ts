import { makeBrand, type Brand } from '../brand.js';
import type { EndowmentCapabilities } from '../endowment.js';
import { perCompartment } from '../per-compartment.js';
import { demandArguments, isCallable, toScalarText, walk } from '../web-idl.js';
import { blobClasses, blobs } from './blob.js';

/** A value is text or a `File` of the compartment. */
export type FormEntry = readonly [name: string, value: string | object];

export const forms: Brand<{ list: FormEntry[] }> = makeBrand<{ list: FormEntry[] }>('FormData');

export interface FormDataClass {
  new (form?: unknown): object;
  readonly prototype: object;
}

/** The compartment's `FormData`. */
export const formDataClass: (capabilities: EndowmentCapabilities) => FormDataClass = perCompartment(
  (capabilities) => {
    const { makeFile } = blobClasses(capabilities);

    const toEntry = (name: unknown, value: unknown, fileName: unknown): FormEntry => {
      const key = toScalarText(name);
      const blob = blobs.read(value);
      if (blob === undefined || typeof value !== 'object' || value === null) {
        if (fileName !== undefined) throw new TypeError('Only a Blob has a file name');
        return [key, toScalarText(value)];
      }
      if (blob.file !== undefined && fileName === undefined) return [key, value];
      const label = fileName === undefined ? 'blob' : toScalarText(fileName);
      return [key, makeFile(blob.bytes, blob.type, label)];
    };

    return class FormData {
      constructor(form?: unknown) {
        if (form !== undefined) throw new TypeError('There are no forms to make FormData from');
        forms.give(this, { list: [] });
      }

      append(name: unknown, value: unknown, fileName?: unknown): void {
        const state = forms.demand(this);
        demandArguments(arguments.length, 2, 'append');
        state.list.push(toEntry(name, value, fileName));
      }

      set(name: unknown, value: unknown, fileName?: unknown): void {
        const state = forms.demand(this);
        demandArguments(arguments.length, 2, 'set');
        const entry = toEntry(name, value, fileName);
        const first = state.list.findIndex(([known]) => known === entry[0]);
        const others = state.list.filter(([known]) => known !== entry[0]);
        state.list = first === -1 ? [...others, entry] : others.toSpliced(first, 0, entry);
      }

      delete(name: unknown): void {
        const state = forms.demand(this);
        const wanted = toScalarText(name);
        state.list = state.list.filter(([known]) => known !== wanted);
      }

      get(name: unknown): string | object | null {
        const state = forms.demand(this);
        const wanted = toScalarText(name);
        return state.list.find(([known]) => known === wanted)?.[1] ?? null;
      }

      getAll(name: unknown): (string | object)[] {
        const state = forms.demand(this);
        const wanted = toScalarText(name);
        return state.list.filter(([known]) => known === wanted).map(([, value]) => value);
      }

      has(name: unknown): boolean {
        const state = forms.demand(this);
        const wanted = toScalarText(name);
        return state.list.some(([known]) => known === wanted);
      }

      forEach(callback: unknown, self?: unknown): void {
        const state = forms.demand(this);
        if (!isCallable(callback)) throw new TypeError('forEach takes a function');
        for (const [name, value] of walk((index) => state.list[index])) {
          Reflect.apply(callback, self, [value, name, this]);
        }
      }

      entries(): IterableIterator<readonly [string, string | object]> {
        const state = forms.demand(this);
        return walk((index) => copyEntry(state.list[index]));
      }
      keys(): IterableIterator<string> {
        const state = forms.demand(this);
        return walk((index) => state.list[index]?.[0]);
      }
      values(): IterableIterator<string | object> {
        const state = forms.demand(this);
        return walk((index) => state.list[index]?.[1]);
      }
      [Symbol.iterator](): IterableIterator<readonly [string, string | object]> {
        const state = forms.demand(this);
        return walk((index) => copyEntry(state.list[index]));
      }

      get [Symbol.toStringTag](): string {
        return 'FormData';
      }
    };
  },
);

/** A new pair each time, because plugin code may change it. */
function copyEntry(entry: FormEntry | undefined): FormEntry | undefined {
  return entry === undefined ? undefined : [entry[0], entry[1]];
}
