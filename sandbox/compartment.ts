import { makeAbortPair } from './endowments/abort.js';
import type { EndowmentCapabilities } from './endowments/endowment.js';
import { type PackageEndowments, type Prebuilt, endow } from './endowments/endow.js';
import { explainRefused, explainWithheld, standInFor } from './endowments/withheld.js';
import { withCode } from './endowments/errors.js';
import { makeGlobalFor } from './dependency-global.js';
import { capabilitiesOfPackage, environmentOfPackage, shareOf } from './package-endowments.js';
import type { LoadedPackage } from './wire/methods.js';
import { replaceHtmlComments } from './html-comments.js';
import { explainWith, replaceWith } from './with-statements.js';

/** Globals that SES adds to every compartment and that no plugin needs. */
const UNUSED = ['lockdown', 'Compartment', 'ModuleSource', 'assert'];

export interface CompartmentSpec {
  /** Every global except the language's own. */
  readonly globals: Readonly<Record<string, unknown>>;
  /** Names that the code inside assigns to. They stay writable. */
  readonly assigned: readonly string[];
}

/**
 * Creates the compartment of one plugin.
 *
 * All its globals are fixed before it evaluates code. SES then reads them as constants instead of
 * through a proxy and four scopes (a hundred times faster, measured). Plugin code cannot change
 * these names. It can define new ones.
 */
export function makeCompartment(spec: CompartmentSpec): Compartment {
  const compartment = new Compartment({
    globals: spec.globals,
    // guard: import-phases-refused
    transforms: [replaceWith, replaceHtmlComments, refuseImportPhases],
    __options__: true,
  });
  const globals = compartment.globalThis;
  // guard: compartment-constructors-deleted
  for (const name of UNUSED) Reflect.deleteProperty(globals, name);
  const writable = new Set(spec.assigned);
  for (const name of Object.getOwnPropertyNames(globals)) {
    if (!writable.has(name)) {
      // guard: compartment-globals-fixed
      Object.defineProperty(globals, name, { writable: false, configurable: false });
    }
  }
  return compartment;
}

/** Adds fixed globals to a compartment whose code has run. A name that the code defined stays. */
export function addGlobals(
  compartment: Compartment,
  globals: Readonly<Record<string, unknown>>,
): void {
  for (const [name, value] of Object.entries(globals)) {
    if (Object.hasOwn(compartment.globalThis, name)) continue;
    Object.defineProperty(compartment.globalThis, name, { value });
  }
}

/**
 * Import phases such as `import.source(…)`, which V8 accepts in scripts and SES does not detect.
 * Like SES, this searches text, not syntax. A property of that name is not an import.
 */
const IMPORT_PHASE = /import\s*\.\s*(?:[\w$\\{}]+\s*)?(?:\(|\/[/*])/g;

/** A transform, which the compartment's evaluators apply to every text before they run it. */
function refuseImportPhases(source: string): string {
  // The pattern begins with a word, because V8 then searches ten times faster.
  for (const { index } of source.matchAll(IMPORT_PHASE)) {
    if (/[\w.]/.test(source.charAt(index - 1)) && !source.slice(0, index).endsWith('...')) continue;
    throw new SyntaxError('Possible import expression rejected: import has no phases here');
  }
  return source;
}

/** The realm of one plugin's code. */
export interface Confinement {
  evaluate(code: string): unknown;
  /**
   * Creates the abort signal of a request of the host, of the compartment's own class, and the function
   * that aborts it. Requests that plugin code makes with the signal are attributed to that request.
   */
  makeSignal(call: number): { readonly signal: unknown; readonly abort: (why: string) => void };
  /** The denial behind an error such as `fetch is not defined`, if a withheld endowment caused it. */
  explain(error: unknown): Error | undefined;
  /** The globals that code of dependencies gets instead of the compartment's. */
  readonly dependencies: Readonly<Record<string, unknown>> | undefined;
  /** The value of a global that bundled code misses, or `undefined`. Throws its denial. */
  missing(name: string): unknown;
  /** Revokes all endowments: references that the plugin stored stop working. */
  revoke(): void;
  /** Applies `capabilities.grant` after a change. */
  updateGrant(): void;
  /** Creates the compartment of an npm package in the plugin. `path`: its directory. */
  openPackage(path: string, grant: LoadedPackage, assigned: readonly string[]): PackageConfinement;
  /**
   * Creates the compartment of all npm packages with the same grant, which has no hosts, names or files. Nothing in
   * it can be changed. `packageNow`: the package whose code runs.
   */
  openPackages(grant: LoadedPackage, packageNow: () => string | undefined): SharedConfinement;
}

/** The realm of one npm package in a plugin. */
export type PackageConfinement = Pick<Confinement, 'evaluate' | 'dependencies' | 'missing'>;

/** The realm of several npm packages. */
export interface SharedConfinement extends Pick<Confinement, 'evaluate'> {
  /** What only one of the packages gets. */
  member(path: string): Pick<PackageConfinement, 'dependencies' | 'missing'>;
}

export interface ConfinementSpec {
  readonly capabilities: EndowmentCapabilities;
  /** Endowments that were built in advance. */
  readonly ahead?: Prebuilt | undefined;
  /** Global names that the code assigns to. */
  readonly assignedGlobals: readonly string[];
  /** Further globals, of the plugin's dialect. They win over the endowments. */
  readonly globals: Readonly<Record<string, unknown>>;
}

/** Confines a plugin to a compartment with only the endowments of its grant. */
export function confine({
  capabilities,
  ahead,
  assignedGlobals,
  globals,
}: ConfinementSpec): Confinement {
  const endowed = endow(capabilities, ahead);
  const compartment = makeCompartment({
    globals: { ...endowed.globals, ...harden(globals) },
    // The dialect's globals are fixed, even if the plugin's code assigns to them.
    assigned: assignedGlobals.filter((name) => !Object.hasOwn(globals, name)),
  });
  const packages: (Pick<PackageEndowments, 'partOf'> & { readonly opened: Compartment })[] = [];
  return {
    evaluate: (code) => compartment.evaluate(code),
    makeSignal: (call) => makeAbortPair(capabilities, call),
    explain: (error) =>
      explainWithheld(
        error,
        { withheldNames: endowed.withheldNames, hasTime: capabilities.grant.time },
        capabilities.denial,
      ) ??
      explainWith(error) ??
      explainRefused(error),
    dependencies: Object.freeze({
      ...endowed.forDependencies,
      globalThis: makeGlobalFor(compartment.globalThis, endowed.forDependencies),
    }),
    missing: (name) => standInFor(name, endowed.withheldNames, capabilities.denial),
    revoke: () => endowed.revoke(),
    updateGrant: () => {
      const later = endowed.updateGrant();
      addGlobals(compartment, later);
      for (const { opened, partOf } of packages) addGlobals(opened, partOf(later));
    },
    openPackage: (path, grant, assigned) => {
      const own = capabilitiesOfPackage(() => path, capabilities);
      const {
        globals: given,
        forDependencies,
        withheldNames,
        partOf,
      } = endowed.forPackage(shareOf(grant), own);
      const env = environmentOfPackage(grant.env ?? [], own, endowed.globals['env']);
      const opened = makeCompartment({ globals: { ...given, ...env }, assigned });
      packages.push({ opened, partOf });
      return {
        evaluate: (code) => opened.evaluate(code),
        dependencies: withGlobal(
          forDependencies,
          makeGlobalFor(opened.globalThis, forDependencies),
        ),
        missing: (name) => standInFor(name, withheldNames, own.denial),
      };
    },
    openPackages: (grant, packageNow) => {
      const share = shareOf(grant);
      const anyone = capabilitiesOfPackage(packageNow, capabilities);
      const { globals: given, withheldNames } = endowed.forPackage(share, anyone);
      const env = environmentOfPackage([], anyone, endowed.globals['env']);
      const opened = makeCompartment({ globals: { ...given, ...env }, assigned: [] });
      // guard: shared-compartment-frozen
      Object.freeze(opened.globalThis);
      return {
        evaluate: (code) => opened.evaluate(code),
        member: (path) => {
          const own = capabilitiesOfPackage(() => path, capabilities);
          /** What the package assigned to its global object. */
          const assigned: Record<PropertyKey, unknown> = {};
          let dependencies: Readonly<Record<string, unknown>> | undefined;
          return {
            get dependencies() {
              if (dependencies !== undefined) return dependencies;
              const forDependencies = endowed.forDependenciesOf(share, own);
              dependencies = withGlobal(
                forDependencies,
                makeGlobalFor(opened.globalThis, forDependencies, assigned),
              );
              return dependencies;
            },
            missing: (name) =>
              Object.hasOwn(assigned, name)
                ? assigned[name]
                : standInFor(name, withheldNames, own.denial),
          };
        },
      };
    },
  };
}

/** The replacements of globals of a package with its global object. Copying them would make all of them. */
function withGlobal(
  forDependencies: Readonly<Record<string, unknown>>,
  global: object,
): Readonly<Record<string, unknown>> {
  return Object.freeze(
    Object.defineProperty(forDependencies, 'globalThis', { value: global, enumerable: true }),
  );
}

/** The part of the linkage that connects units: see `wire/units.ts`. */
export interface UnitLinks {
  /** The exports of a file of another unit. */
  readonly link?: (file: unknown) => unknown;
  /** Offers the unit's files to other units, each as the function that evaluates it. */
  readonly offer?: (files: unknown) => void;
}

/**
 * The argument of a bundle: the modules that its guest provides, the globals for dependencies, the
 * replacements for missing globals, and for imports whose target was unknown to the bundler.
 */
export function makeLinkage(
  _params: unknown,
  modules: Readonly<Record<string, unknown>>,
  confinement: Pick<Confinement, 'dependencies' | 'missing'>,
  links: UnitLinks = {},
): unknown {
  const linkage = {
    ...links,
    modules,
    importRefused,
    missing: (name: unknown): unknown => confinement.missing(String(name)),
    // A getter, because the global object of dependencies must not be hardened.
    get dependencies(): unknown {
      return confinement.dependencies;
    },
  };
  // guard: linked-modules-hardened
  return harden(linkage);
}

function importRefused(specifier: unknown): Promise<never> {
  // A plain Error, because the plugin sees it. An instance of our class would expose our realm.
  const error = new Error(
    `import(${textOf(specifier)}) names its module while the plugin runs, and only what was bundled before can be imported. To fix this, import it by a literal path.`,
  );
  return Promise.reject(withCode(error, 'BUILTIN_DENIED'));
}

function textOf(specifier: unknown): string {
  return typeof specifier === 'string' ? JSON.stringify(specifier) : 'of something';
}
