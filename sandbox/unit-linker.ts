import type { Confinement, PackageConfinement, UnitLinks } from './compartment.js';
import { makeDenialReport, REPORT_MODULE } from './denial-report.js';
import type { CryptoCapability, EndowmentCapabilities } from './endowments/endowment.js';
import { withCode } from './endowments/errors.js';
import { FILES_MODULE } from './endowments/files/files.js';
import { SQLITE_MODULE } from './endowments/sqlite/sqlite.js';
import { makeOverridable } from './endowments/overridable.js';
import { type ExportGuard, makeExportGuard } from './export-guard.js';
import { CodedError } from './wire/failure.js';
import type { LoadedPackage, LoadParams } from './wire/methods.js';
import { NODE_UNIT, OWN_UNIT, type PlacedUnit, readUnits } from './wire/units.js';

interface UnitCapabilities {
  readonly crypto: CryptoCapability;
  readonly getStackString: (error: Error) => string;
  /** As in `LoadCapabilities`. */
  readonly makeLinkage: (
    params: LoadParams,
    modules: Readonly<Record<string, unknown>>,
    confinement: PackageConfinement,
    links: UnitLinks,
  ) => unknown;
}

interface UnitsSpec {
  readonly params: LoadParams;
  readonly packages: NonNullable<LoadParams['packages']>;
  readonly confinement: Confinement;
  readonly capabilities: UnitCapabilities;
  readonly endowing: EndowmentCapabilities;
  /** The modules that the guest provides to the plugin's own code. */
  readonly modules: Readonly<Record<string, unknown>>;
}

/**
 * Evaluates the plugin's own code in its compartment, and each npm package that it reaches in a compartment of its
 * own, when it is first imported. Returns the exports of the plugin's entry, or a promise of them.
 */
export function evaluateUnits(spec: UnitsSpec): unknown {
  const linker = new UnitLinker(spec);
  return linker.start();
}

/** A unit whose code has run. Its files are evaluated when another unit imports them. */
interface OpenUnit {
  readonly unit: PlacedUnit;
  files: Readonly<Record<string, unknown>>;
}

/** A file of a unit, while it is evaluated and after that. */
interface LinkedFile {
  readonly exports: unknown;
  readonly isDone: boolean;
}

class UnitLinker {
  readonly #spec: UnitsSpec;
  readonly #units: ReadonlyMap<string, PlacedUnit>;
  readonly #open = new Map<string, OpenUnit>();
  readonly #files = new Map<string, LinkedFile>();
  readonly #loading = new Set<string>();
  readonly #guard: ExportGuard;
  /** Marks the names of the units in stacks. Code that does not know it cannot forge such a name. */
  readonly #mark: string;

  constructor(spec: UnitsSpec) {
    this.#spec = spec;
    const units = readUnits(spec.params.code);
    this.#units = new Map(units.map((unit) => [unit.path, unit]));
    this.#mark = makeMark(spec.capabilities);
    this.#guard = makeExportGuard({
      writer: () => this.#writer(),
      refused: (what, writer) => {
        const error = new Error(`${what} was not replaced`);
        spec.endowing.denied('builtin', `replace ${what}`, error, writer);
      },
    });
  }

  start(): unknown {
    const { confinement, modules } = this.#spec;
    return this.#run(this.#unit(OWN_UNIT), confinement, modules);
  }

  #unit(path: string): PlacedUnit {
    const unit = this.#units.get(path);
    if (unit === undefined) throw new CodedError('LOAD_FAILED', `the bundle has no unit ${path}`);
    return unit;
  }

  #run(
    unit: PlacedUnit,
    confinement: PackageConfinement,
    modules: Readonly<Record<string, unknown>>,
  ): unknown {
    const { params, capabilities } = this.#spec;
    const open: OpenUnit = { unit, files: {} };
    this.#open.set(unit.path, open);
    const run = confinement.evaluate(
      `${unit.code}\n//# sourceURL=${this.#nameOf(unit)}/${params.sourceUrl}`,
    );
    if (typeof run !== 'function') {
      throw new CodedError('LOAD_FAILED', 'a unit of the bundle is not a function');
    }
    const linkage = capabilities.makeLinkage(params, modules, confinement, {
      link: (file) => this.#link(unit, String(file)),
      offer: (files) => {
        open.files = isRecordOfFiles(files) ? files : {};
      },
    });
    return Reflect.apply(run, undefined, [linkage]);
  }

  #link(importer: PlacedUnit, file: string): unknown {
    if (file.startsWith(`${NODE_UNIT}/`)) return this.#shared(file);
    const owner = importer.imports.find((path) => this.#owns(path, file));
    // guard: package-import-listed
    if (owner === undefined || !this.#mayImport(importer, owner)) {
      throw this.#importDenial(importer.path, owner ?? file);
    }
    const known = this.#files.get(file);
    if (known?.isDone === true) return known.exports;
    // In a cycle the importer gets the exports so far, as in Node.
    if (this.#loading.has(file)) return this.#load(owner, file);
    this.#loading.add(file);
    try {
      const exports = this.#guard.protect(this.#load(owner, file), owner);
      this.#files.set(file, { exports, isDone: true });
      return exports;
    } finally {
      this.#loading.delete(file);
    }
  }

  /**
   * A stand-in for a module of Node that all units share. Its compartment has no permission, and nothing of it can be
   * changed.
   */
  #shared(file: string): unknown {
    const known = this.#files.get(file);
    if (known !== undefined) return known.exports;
    const exports: unknown = this.#load(NODE_UNIT, file);
    const members = isRecordOfFiles(exports) ? Object.entries(exports) : [];
    for (const [, member] of members) makeOverridable(member);
    // guard: shared-builtin-hardened
    const fixed = harden(Object.fromEntries(members));
    this.#files.set(file, { exports: fixed, isDone: true });
    return fixed;
  }

  #load(owner: string, file: string): unknown {
    const load = this.#opened(owner).files[file];
    if (typeof load === 'function') return Reflect.apply(load, undefined, []);
    throw new CodedError('LOAD_FAILED', `${owner} does not offer ${file}`);
  }

  /** Whether a unit has a file. The innermost package of a file has it. */
  #owns(path: string, file: string): boolean {
    if (path !== OWN_UNIT) return file.startsWith(`${path}/`) && !hasInner(file, path);
    return ![...this.#units.keys()].some((other) => other !== OWN_UNIT && this.#owns(other, file));
  }

  #mayImport({ path, undeclared }: PlacedUnit, owner: string): boolean {
    if (path === OWN_UNIT) return true;
    const { imports, importsOnly } = this.#grantOf(path);
    // guard: package-import-accepted
    if (importsOnly !== undefined) return importsOnly.includes(owner);
    return !undeclared.includes(owner) || imports?.includes(owner) === true;
  }

  #grantOf(path: string): LoadedPackage {
    const { packages } = this.#spec;
    return Object.hasOwn(packages, path) ? (packages[path] ?? {}) : {};
  }

  #importDenial(importer: string, wanted: string): Error {
    const { params, endowing } = this.#spec;
    const error = withCode(
      new Error(
        `The package ${importer} of ${params.plugin.id} may not import ${wanted}: neither its package.json nor its grant names it. To allow this, add "imports": [${JSON.stringify(wanted)}] to the grant of ${JSON.stringify(importer)} in the option "packages" or in the lock file.`,
      ),
      'BUILTIN_DENIED',
    );
    endowing.denied('builtin', `import ${wanted}`.slice(0, 200), error, importer);
    return error;
  }

  #opened(path: string): OpenUnit {
    const known = this.#open.get(path);
    if (known !== undefined) return known;
    const unit = this.#unit(path);
    const grant = this.#grantOf(path);
    const confinement = this.#spec.confinement.openPackage(path, grant, unit.assigned);
    this.#run(unit, confinement, this.#modulesOf(path, grant));
    const open = this.#open.get(path);
    if (open === undefined) throw new CodedError('LOAD_FAILED', `${path} was not evaluated`);
    return open;
  }

  /** The modules that the guest provides to a package. */
  #modulesOf(path: string, { fs, storage }: LoadedPackage): Readonly<Record<string, unknown>> {
    const { modules, endowing } = this.#spec;
    const { grant } = endowing;
    // One module serves both: the package needs each of the two that the plugin has.
    const hasFiles =
      (fs === true || storage === true) &&
      (fs === true || grant.fs === undefined) &&
      (storage === true || !grant.storage);
    return {
      [REPORT_MODULE]: makeDenialReport(endowing, path),
      // guard: package-files-granted
      ...(hasFiles ? { [FILES_MODULE]: modules[FILES_MODULE] } : {}),
      ...(storage === true ? { [SQLITE_MODULE]: modules[SQLITE_MODULE] } : {}),
    };
  }

  /** With the lines before the unit in the bundle's text: see `makeStackMapper`. */
  #nameOf({ path, lines }: PlacedUnit): string {
    return `${this.#mark}-${[...this.#units.keys()].indexOf(path)}+${lines}`;
  }

  /** The unit whose code assigns now: that of the nearest frame, or `undefined` if that frame is of no unit. */
  #writer(): string | undefined {
    const stack = this.#spec.capabilities.getStackString(new Error());
    const frames = stack.split('\n').filter((line) => /^\s*at /.test(line));
    // The nearest frames are of this file and of the setter; a built-in such as `Object.assign` has no place.
    const nearest = frames.slice(OWN_FRAMES).find((frame) => !frame.endsWith('(<anonymous>)'));
    const index = nearest === undefined ? undefined : this.#indexIn(nearest);
    return index === undefined ? undefined : [...this.#units.keys()][index];
  }

  #indexIn(frame: string): number | undefined {
    const at = frame.indexOf(`${this.#mark}-`);
    const digits = at < 0 ? undefined : /^\d+/.exec(frame.slice(at + this.#mark.length + 1))?.[0];
    return digits === undefined ? undefined : Number(digits);
  }
}

/** Frames between an assignment and the error of `#writer`: the method, `writer`, `mayWrite` and the setter. */
const OWN_FRAMES = 4;

const HEXADECIMAL = 16;

function makeMark({ crypto }: UnitCapabilities): string {
  const bytes = new Uint8Array(16);
  crypto.fillRandom(bytes);
  return `u${[...bytes].map((byte) => byte.toString(HEXADECIMAL).padStart(2, '0')).join('')}`;
}

function hasInner(file: string, path: string): boolean {
  return file.slice(path.length).includes('/node_modules/');
}

function isRecordOfFiles(files: unknown): files is Readonly<Record<string, unknown>> {
  return typeof files === 'object' && files !== null;
}
