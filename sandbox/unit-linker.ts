import { groupOf, joinUnits } from './joined-units.js';
import type {
  Confinement,
  PackageConfinement,
  SharedConfinement,
  UnitLinks,
} from './compartment.js';
import { makeDenialReport, REPORT_MODULE } from './denial-report.js';
import type { CryptoCapability, EndowmentCapabilities } from './endowments/endowment.js';
import { withCode } from './endowments/errors.js';
import { CONTEXTS_MODULE } from './endowments/async-contexts.js';
import { FILES_MODULE } from './endowments/files/files.js';
import { SQLITE_MODULE } from './endowments/sqlite/sqlite.js';
import { type ExportGuard, makeExportGuard } from './export-guard.js';
import { isShareable } from './package-endowments.js';
import { fixBuiltin } from './shared-builtins.js';
import { makeUnitFrames, type UnitFrames } from './unit-frames.js';
import { UnitTexts } from './unit-texts.js';
import { makeVariableNames, VARIABLES_MODULE } from './variable-names.js';
import { CodedError } from './wire/failure.js';
import type { KeptParams, LoadedPackage } from './wire/methods.js';
import {
  factsOf,
  INSTALLED_UNIT,
  isInstalled,
  NODE_UNIT,
  OWN_UNIT,
  PROGRAM_MODULE,
  readUnits,
  STREAMS_MODULE,
  type UnitFacts,
} from './wire/units.js';

interface UnitCapabilities {
  readonly crypto: CryptoCapability;
  readonly getStackString: (error: Error) => string;
  /** As in `LoadCapabilities`. */
  readonly makeLinkage: (
    params: KeptParams,
    modules: Readonly<Record<string, unknown>>,
    confinement: Pick<PackageConfinement, 'dependencies' | 'missing'>,
    links: UnitLinks,
  ) => unknown;
}

interface UnitsSpec {
  readonly params: KeptParams;
  readonly packages: NonNullable<KeptParams['packages']>;
  readonly confinement: Confinement;
  readonly capabilities: UnitCapabilities;
  readonly endowing: EndowmentCapabilities;
  /** The modules that the guest provides to the plugin's own code. */
  readonly modules: Readonly<Record<string, unknown>>;
  /** The file of the program, if the plugin is one. */
  readonly program: string | undefined;
  /** The module of files for packages that may not use the plugin's storage. */
  readonly filesWithoutStorage: () => unknown;
}

/**
 * Evaluates the plugin's own code in its compartment, and each npm package that it reaches separately, when it is
 * first imported. Packages with permissions of their own get a compartment of their own; the others share one for
 * each grant, in which nothing can be changed, and their texts are compiled at once. Returns the exports of the plugin's entry, or a
 * promise of them.
 * @param code The text of the bundle.
 */
export function evaluateUnits(spec: UnitsSpec, code: string): unknown {
  const linker = new UnitLinker(spec, code);
  return linker.start();
}

/** A unit whose code has run. Its files are evaluated when another unit imports them. */
interface OpenUnit {
  files: Readonly<Record<string, unknown>>;
  /** What its code returned: a promise if it awaits at its top level. */
  result: unknown;
}

/** Packages that share a compartment, and the function of each by its index. */
interface OpenGroup {
  readonly confinement: SharedConfinement;
  readonly runs: object;
}

class UnitLinker {
  readonly #spec: UnitsSpec;
  readonly #units: ReadonlyMap<string, UnitFacts>;
  readonly #texts: UnitTexts;
  readonly #paths: readonly string[];
  readonly #groups = new Map<string, OpenGroup>();
  readonly #open = new Map<string, OpenUnit>();
  /** The exports of evaluated files. */
  readonly #files = new Map<string, unknown>();
  readonly #loading = new Set<string>();
  #isLoaded = false;
  /** Whether there is a package that could change the exports of another one. */
  readonly #hasOthers: boolean;
  readonly #guard: ExportGuard;
  readonly #frames: UnitFrames;

  constructor(spec: UnitsSpec, bundle: string) {
    this.#spec = spec;
    const placed = readUnits(bundle);
    this.#texts = new UnitTexts(placed);
    const units = placed.map(factsOf);
    this.#units = new Map(units.map((unit) => [unit.path, unit]));
    this.#paths = units.map(({ path }) => path);
    const packages = this.#paths.filter((path) => !this.#isOwn(path) && path !== NODE_UNIT);
    this.#hasOthers = packages.length > 1;
    this.#frames = makeUnitFrames(units, spec.params.sourceUrl, spec.capabilities);
    this.#guard = makeExportGuard({
      writer: () => this.#frames.writer(),
      refused: (what, writer) => this.#refuseReplacing(what, writer),
    });
  }

  start(): unknown {
    const waiting = this.#waiting();
    const started = waiting.length === 0 ? this.#startOwn() : this.#startAfter(waiting);
    if (!(started instanceof Promise)) {
      this.#closeAll();
      return started;
    }
    return started.then((exports) => {
      this.#closeAll();
      return exports;
    });
  }

  /** The packages that await at their top level, each after those that it imports. */
  #waiting(): readonly string[] {
    const found: string[] = [];
    const seen = new Set<string>();
    const visit = (path: string): void => {
      if (seen.has(path)) return;
      seen.add(path);
      const { imports, isAsync } = this.#unit(path);
      imports.forEach(visit);
      if (isAsync && path !== OWN_UNIT) found.push(path);
    };
    if ([...this.#units.values()].some(({ isAsync }) => isAsync)) visit(OWN_UNIT);
    return found;
  }

  async #startAfter(waiting: readonly string[]): Promise<unknown> {
    for (const path of waiting) await this.#opened(path).result;
    return this.#startOwn();
  }

  #startOwn(): unknown {
    const { confinement, modules } = this.#spec;
    return this.#runAlone(this.#unit(OWN_UNIT), confinement, modules);
  }

  /** Whether a unit is the plugin's own code, or gets all that it gets. */
  #isOwn(path: string): boolean {
    return path === OWN_UNIT || this.#grantOf(path).isOwn === true;
  }

  #unit(path: string): UnitFacts {
    const unit = this.#units.get(path);
    if (unit === undefined) throw new CodedError('LOAD_FAILED', `the bundle has no unit ${path}`);
    return unit;
  }

  #runAlone(
    unit: UnitFacts,
    confinement: PackageConfinement,
    modules: Readonly<Record<string, unknown>>,
  ): unknown {
    const run = confinement.evaluate(
      `${this.#texts.read(unit.path)}\n${this.#frames.nameAfter(unit.lines)}`,
    );
    this.#texts.drop([unit]);
    return this.#run(unit, run, confinement, modules);
  }

  #run(
    unit: UnitFacts,
    run: unknown,
    confinement: Pick<PackageConfinement, 'dependencies' | 'missing'>,
    modules: Readonly<Record<string, unknown>>,
  ): unknown {
    const { params, capabilities } = this.#spec;
    const open: OpenUnit = { files: {}, result: undefined };
    this.#open.set(unit.path, open);
    if (typeof run !== 'function') {
      throw new CodedError('LOAD_FAILED', 'a unit of the bundle is not a function');
    }
    const linkage = capabilities.makeLinkage(params, modules, confinement, {
      link: (file) => this.#link(unit, String(file)),
      offer: (files) => {
        open.files = isRecordOfFiles(files) ? files : {};
      },
    });
    open.result = Reflect.apply(run, undefined, [linkage]);
    return open.result;
  }

  #link(importer: UnitFacts, file: string): unknown {
    if (file.startsWith(`${NODE_UNIT}/`)) return this.#shared(file);
    const owner = importer.imports.find((path) => this.#owns(path, file));
    // guard: package-import-listed
    if (owner === undefined || !this.#mayImport(importer, owner)) {
      throw this.#importDenial(importer.path, owner ?? file);
    }
    const exports = this.#evaluated(owner, file);
    if (importer.path !== OWN_UNIT || this.#isLoaded) this.#close(owner);
    return exports;
  }

  #close(owner: string): void {
    if (this.#isOwn(owner)) return;
    const isOpen = this.#units.get(owner)?.isOpen === true || this.#grantOf(owner).open === true;
    if (!isOpen) this.#guard.close(owner);
  }

  /** While a plugin loads, its own code may have packages extended that no other package imports. */
  #closeAll(): void {
    this.#isLoaded = true;
    for (const path of this.#paths) this.#close(path);
    this.#texts.keepFew();
  }

  #evaluated(owner: string, file: string): unknown {
    if (this.#files.has(file)) return this.#files.get(file);
    // In a cycle the importer gets the exports so far, as in Node.
    if (this.#loading.has(file)) return this.#load(owner, file);
    this.#loading.add(file);
    try {
      const exports = this.#load(owner, file);
      if (this.#hasOthers) this.#guard.protect(exports, owner);
      this.#files.set(file, exports);
      return exports;
    } finally {
      this.#loading.delete(file);
    }
  }

  /**
   * A stand-in for a module of Node that all units share. Its compartment has no permission, and nothing of it can be
   * changed: an assignment does nothing and is reported.
   */
  #shared(file: string): unknown {
    if (this.#files.has(file)) return this.#files.get(file);
    const exports: unknown = this.#load(NODE_UNIT, file);
    const fixed = fixBuiltin(exports, (member) =>
      this.#refuseReplacing(`${member} of Node's modules`, this.#packageNow()),
    );
    this.#files.set(file, fixed);
    return fixed;
  }

  /** The package whose code runs. `undefined`: it is the plugin's own. */
  #packageNow(): string | undefined {
    const now = this.#frames.nearest();
    return now === OWN_UNIT ? undefined : now;
  }

  /** Reports an assignment that did nothing. */
  #refuseReplacing(what: string, writer: string | undefined): void {
    const error = new Error(`${what} was not replaced`);
    this.#spec.endowing.denied('builtin', `replace ${what}`, error, writer);
  }

  #load(owner: string, file: string): unknown {
    const load = this.#opened(owner).files[file];
    if (typeof load === 'function') return Reflect.apply(load, undefined, []);
    throw new CodedError('LOAD_FAILED', `${owner} does not offer ${file}`);
  }

  /** Whether a unit has a file. The innermost package of a file has it. */
  #owns(path: string, file: string): boolean {
    if (path === INSTALLED_UNIT) return isInstalled(file);
    if (path !== OWN_UNIT) return file.startsWith(`${path}/`) && !hasInner(file, path);
    return ![...this.#units.keys()].some((other) => other !== OWN_UNIT && this.#owns(other, file));
  }

  #mayImport({ path, undeclared }: UnitFacts, owner: string): boolean {
    if (this.#isOwn(path)) return true;
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
    const modules = this.#isOwn(path) ? this.#spec.modules : this.#modulesOf(path, grant);
    if (this.#isOwn(path)) {
      this.#runAlone(unit, this.#spec.confinement, modules);
    } else if (this.#isShared(unit)) {
      const { confinement, runs } = this.#group(grant);
      const run: unknown = Reflect.get(runs, this.#paths.indexOf(path));
      this.#run(unit, run, confinement.member(path), modules);
    } else {
      const confinement = this.#spec.confinement.openPackage(path, grant, unit.assigned);
      this.#runAlone(unit, confinement, modules);
    }
    const open = this.#open.get(path);
    if (open === undefined) throw new CodedError('LOAD_FAILED', `${path} was not evaluated`);
    return open;
  }

  /** Code that assigns to globals needs a global object of its own. */
  #isShared({ path, assigned }: UnitFacts): boolean {
    // guard: assigning-package-alone
    if (this.#isOwn(path) || assigned.length > 0) return false;
    return isShareable(this.#grantOf(path), this.#spec.endowing.grant);
  }

  #group(grant: LoadedPackage): OpenGroup {
    const key = groupOf(grant);
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const members = [...this.#units.values()].filter(
      (unit) => this.#isShared(unit) && groupOf(this.#grantOf(unit.path)) === key,
    );
    const confinement = this.#spec.confinement.openPackages(grant, () => this.#frames.nearest());
    const runs = confinement.evaluate(
      `${joinUnits(
        members.map((unit) => ({ ...unit, code: this.#texts.read(unit.path) })),
        (unit) => this.#paths.indexOf(unit.path),
      )}\n${this.#frames.nameAfter(0)}`,
    );
    if (!isRecordOfFiles(runs)) throw new CodedError('LOAD_FAILED', 'the bundle has no packages');
    this.#texts.drop(members);
    const group = { confinement, runs };
    this.#groups.set(key, group);
    return group;
  }

  /** The modules that the guest provides to a package. */
  #modulesOf(path: string, grant: LoadedPackage): Readonly<Record<string, unknown>> {
    const { fs, storage, streams } = grant;
    const { modules, endowing } = this.#spec;
    // Its copies of stored files are for the whole module, so storage alone is no part of it.
    const hasFiles = fs === true || (storage === true && endowing.grant.fs === undefined);
    // guard: package-files-without-storage
    const isWhole = storage === true || !endowing.grant.storage;
    return {
      [REPORT_MODULE]: makeDenialReport(endowing, () =>
        path === NODE_UNIT ? this.#packageNow() : path,
      ),
      [VARIABLES_MODULE]: makeVariableNames(endowing, grant.env ?? []),
      [CONTEXTS_MODULE]: endowing.contexts.face,
      // guard: package-files-granted
      ...(hasFiles
        ? { [FILES_MODULE]: isWhole ? modules[FILES_MODULE] : this.#spec.filesWithoutStorage() }
        : {}),
      ...(storage === true ? { [SQLITE_MODULE]: modules[SQLITE_MODULE] } : {}),
      // guard: package-streams-granted
      ...(streams === true ? { [STREAMS_MODULE]: modules[STREAMS_MODULE] } : {}),
      [PROGRAM_MODULE]: this.#programFor(path, grant),
    };
  }

  /** Each package of a program may end it. Its own package gets the arguments, and packages with a grant. */
  #programFor(path: string, grant: LoadedPackage): unknown {
    const { modules, program = '' } = this.#spec;
    const whole = modules[PROGRAM_MODULE];
    const isProgram = program.startsWith(`${path}/`) && !hasInner(program, path);
    const isWhole = isProgram || grant.arguments === true;
    // guard: program-arguments-for-its-package
    if (isWhole || typeof whole !== 'object' || whole === null) return whole;
    return harden({ ...whole, argv: [] });
  }
}

function hasInner(file: string, path: string): boolean {
  return file.slice(path.length).includes('/node_modules/');
}

function isRecordOfFiles(files: unknown): files is Readonly<Record<string, unknown>> {
  return typeof files === 'object' && files !== null;
}
