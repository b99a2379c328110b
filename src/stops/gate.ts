import { isCovered, type Stop, type StopTarget } from './stop.js';

/** Decides whether work may begin. Reading it costs nothing while there is no stop. */
export interface StopGate {
  /** The stop that covers the work of a plugin for a tenant. */
  find(plugin: string, tenant?: string): Stop | undefined;
  /** Oldest first. */
  list(): readonly Stop[];
}

export interface OpenStopGate extends StopGate {
  /** Closes the gate and stores the stop. Throws if it cannot be stored: then it holds in this process. */
  add(stop: Stop): void;
  remove(target: StopTarget): boolean;
  /** Reads the files again, and reports what other processes changed. */
  look(): void;
  close(): void;
}

/** The stops of a storage directory, one file each. */
export interface StopFiles {
  /** The names of the files. Changes if a stop is added or removed. */
  names(): readonly string[];
  read(name: string): Stop;
  /** Stores a stop so that it survives a power failure. Throws the errors of the write. */
  write(stop: Stop): void;
  /** Returns `false` if there is no such stop. */
  remove(target: StopTarget): boolean;
  nameOf(target: StopTarget): string;
}

export interface StopGateSpec {
  readonly files: StopFiles;
  readonly onAdded: (stop: Stop) => void;
  readonly onRemoved: (stop: Stop) => void;
}

/** Interval at which the files are read. */
const LOOK_MS = 250;

/** A gate that is always open. */
export const OPEN_GATE: StopGate = { find: () => undefined, list: () => [] };

export function openStopGate(spec: StopGateSpec): OpenStopGate {
  return new Gate(spec);
}

class Gate implements OpenStopGate {
  readonly spec: StopGateSpec;
  /** By the name of its file. */
  readonly stops = new Map<string, Stop>();
  /** Stops that could not be stored. */
  readonly unstored = new Set<string>();
  readonly timer: NodeJS.Timeout;

  constructor(spec: StopGateSpec) {
    this.spec = spec;
    for (const name of spec.files.names()) this.stops.set(name, spec.files.read(name));
    this.timer = setInterval(() => this.look(), LOOK_MS);
    this.timer.unref();
  }

  find(plugin: string, tenant?: string): Stop | undefined {
    if (this.stops.size === 0) return undefined;
    for (const stop of this.stops.values()) if (isCovered(stop, plugin, tenant)) return stop;
    return undefined;
  }

  list(): readonly Stop[] {
    return [...this.stops.values()].toSorted((a, b) => a.atMs - b.atMs);
  }

  add(stop: Stop): void {
    const { files, onAdded } = this.spec;
    const name = files.nameOf(stop.target);
    let failure: { readonly error: unknown } | undefined;
    try {
      // guard: stop-stored-first
      files.write(stop);
      this.unstored.delete(name);
    } catch (error) {
      this.unstored.add(name);
      failure = { error };
    }
    this.stops.set(name, stop);
    onAdded(stop);
    if (failure !== undefined) throw failure.error;
  }

  remove(target: StopTarget): boolean {
    const { files, onRemoved } = this.spec;
    const wasStored = files.remove(target);
    const name = files.nameOf(target);
    const stop = this.stops.get(name);
    if (stop === undefined) return wasStored;
    this.unstored.delete(name);
    this.stops.delete(name);
    onRemoved(stop);
    return true;
  }

  look(): void {
    const { files, onAdded, onRemoved } = this.spec;
    const names = new Set(files.names());
    for (const name of names) {
      if (this.stops.has(name)) continue;
      const stop = files.read(name);
      this.stops.set(name, stop);
      onAdded(stop);
    }
    for (const [name, stop] of this.stops) {
      if (names.has(name) || this.unstored.has(name)) continue;
      this.stops.delete(name);
      onRemoved(stop);
    }
  }

  close(): void {
    clearInterval(this.timer);
  }
}
