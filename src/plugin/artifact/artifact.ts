import { isRecord } from '../../../sandbox/wire/json.js';
import { canonicalJson } from '../../canonical.js';
import { BulkheadError, messageOf } from '../../errors.js';
import { readShape } from '../../schema/shape.js';
import { parseBundle } from '../bundle/parse-built.js';
import { integrityOf } from '../integrity.js';
import type { Bundle, Plugin, PluginEntry } from '../plugin.js';
import { type ArchiveFile, readArchive, writeArchive } from './archive.js';
import { modelOf, type PluginModel, readModel, writeModel } from './model.js';
import { sbomOf } from './sbom.js';

/**
 * Everything that can run of one version of a plugin, under one hash: its manifest as it was read, each build
 * of each entry with its source map, and an SBOM.
 *
 * ```text
 * artifact.json           id, version and the builds: file, hash, globals, sources
 * plugin.json             the manifest as it was read
 * modules/tools.js        the code of a build, and modules/tools.js.map
 * modules/tools.host.js   the build with Node's conditions, if one may run
 * sbom.cdx.json           CycloneDX 1.6
 * ```
 */
export interface Artifact {
  /** `sha512-<base64>` over `bytes`. It identifies the artifact everywhere. */
  readonly hash: string;
  /** The canonical archive. */
  readonly bytes: Uint8Array;
  readonly plugin: PluginModel;
  /** The builds, by `buildKey`. */
  readonly bundles: Readonly<Record<string, Bundle>>;
  /** The SBOM as JSON. */
  readonly sbom: string;
}

/** An artifact and its signature, as bytes that nothing vouches for. */
export interface PackFiles {
  readonly bytes: Uint8Array;
  /** The DSSE envelope. Absent: not signed. */
  readonly envelope?: string;
}

/** The files of an artifact by which others refer to its parts. */
export const MANIFEST_FILE = 'plugin.json';
const INDEX_FILE = 'artifact.json';
const SBOM_FILE = 'sbom.cdx.json';

/** The key of a build. An entry may have two: for a compartment, and for Node without one (`:host`). */
export function buildKey({ key, confinement }: Pick<PluginEntry, 'key' | 'confinement'>): string {
  return confinement === 'host' ? `${key}:host` : key;
}

/** Builds the artifact of a plugin from its bundles, by `buildKey`. */
export function makeArtifact(plugin: Plugin, bundles: Readonly<Record<string, Bundle>>): Artifact {
  const model = modelOf(plugin);
  const builds = Object.entries(bundles).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const sbom = canonicalJson(
    sbomOf(
      model,
      builds.map(([, bundle]) => bundle),
    ),
  );
  const index = {
    format: FORMAT,
    id: model.id,
    version: model.version ?? null,
    builds: builds.map(([key, { hash, assignedGlobals, inputs, packages, warnings, broken }]) => ({
      build: key,
      file: fileOf(key),
      hash,
      assignedGlobals,
      inputs,
      packages,
      warnings,
      broken,
    })),
  };
  const text = (name: string, content: string): ArchiveFile => ({
    name,
    content: Buffer.from(content, 'utf8'),
  });
  const bytes = writeArchive([
    text(INDEX_FILE, `${canonicalJson(index)}\n`),
    text(MANIFEST_FILE, `${writeModel(model)}\n`),
    text(SBOM_FILE, `${sbom}\n`),
    ...builds.flatMap(([key, { code, sourceMap }]) => [
      text(fileOf(key), code),
      text(`${fileOf(key)}.map`, sourceMap),
    ]),
  ]);
  return { hash: integrityOf(bytes), bytes, plugin: model, bundles, sbom };
}

/**
 * Reads an artifact. With `expected`, its hash must be that one. Throws `INVALID_ARTIFACT` for bytes with
 * another hash, and for bytes that `makeArtifact` did not write.
 */
export function parseArtifact(bytes: Uint8Array, name: string, expected?: string): Artifact {
  const hash = integrityOf(bytes);
  // guard: artifact-hash-compared
  if (expected !== undefined && hash !== expected) {
    throw invalidArtifact(name, `its hash is ${hash}, and ${expected} is required`);
  }
  try {
    const artifact = { hash, bytes, ...readFiles(bytes, hash) };
    // An accepted artifact was checked when it was accepted.
    if (expected === undefined) checkParts(artifact);
    return artifact;
  } catch (error) {
    throw invalidArtifact(name, messageOf(error));
  }
}

export function invalidArtifact(name: string, why: string): BulkheadError<'INVALID_ARTIFACT'> {
  return new BulkheadError(
    'INVALID_ARTIFACT',
    `The artifact ${name} was refused: ${why}. Create it again with \`bulkhead pack\`, or restore the accepted file.`,
    { file: name },
  );
}

const FORMAT = 'bulkhead-artifact-1';

function readFiles(bytes: Uint8Array, hash: string): Omit<Artifact, 'hash' | 'bytes'> {
  const files = readArchive(bytes);
  const textOf = (name: string): string => {
    const content = files.get(name);
    if (content === undefined) throw new Error(`it has no file ${name}`);
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  };
  const read = readShape(readModel, JSON.parse(textOf(MANIFEST_FILE)), MANIFEST_FILE);
  if (!read.ok) throw new Error(read.problems.join('; '));
  const model = read.value;
  const index: unknown = JSON.parse(textOf(INDEX_FILE));
  if (!isRecord(index) || index['format'] !== FORMAT || !Array.isArray(index['builds'])) {
    throw new Error(`${INDEX_FILE} is not of the format ${FORMAT}`);
  }
  const entries = new Map(
    model.entries.flatMap(({ key }) => [key, `${key}:host`].map((build) => [build, key])),
  );
  const bundles: Record<string, Bundle> = {};
  for (const build of index['builds']) {
    const key: unknown = isRecord(build) ? build['build'] : undefined;
    if (typeof key !== 'string' || !entries.has(key) || Object.hasOwn(bundles, key)) {
      throw new Error(`${INDEX_FILE} names a build that is not an entry`);
    }
    bundles[key] = new ArchivedBundle(build, key, hash, textOf);
  }
  // Other files would be hashed and signed without being shown to anyone.
  const named = [INDEX_FILE, MANIFEST_FILE, SBOM_FILE].concat(
    Object.keys(bundles).flatMap((key) => [fileOf(key), `${fileOf(key)}.map`]),
  );
  const stray = [...files.keys()].find((file) => !named.includes(file));
  if (stray !== undefined) throw new Error(`it has the file ${stray}, which no build names`);
  return { plugin: model, bundles, sbom: textOf(SBOM_FILE).trimEnd() };
}

/** Compares the parts of an artifact of another author with each other. */
function checkParts({ bytes, plugin, bundles }: Artifact): void {
  for (const [key, { code, hash }] of Object.entries(bundles)) {
    // Caches use the hash of the code as their key.
    // guard: artifact-module-hash-compared
    if (integrityOf(code) !== hash) {
      throw new Error(`the code of the build ${key} does not have the hash that it names`);
    }
  }
  // guard: artifact-parts-compared
  if (Buffer.compare(bytes, makeArtifact({ ...plugin, directory: '' }, bundles).bytes) !== 0) {
    throw new Error('its manifest, index or SBOM does not match its modules');
  }
}

/** The file of a build's code. */
function fileOf(key: string): string {
  return `modules/${key.replace(/:host$/, '.host')}.js`;
}

/** A build whose texts are decoded at their first use. */
class ArchivedBundle implements Bundle {
  readonly hash: Bundle['hash'];
  readonly assignedGlobals: Bundle['assignedGlobals'];
  readonly inputs: Bundle['inputs'];
  readonly packages: Bundle['packages'];
  readonly warnings: Bundle['warnings'];
  readonly broken: Bundle['broken'];
  readonly artifact: string;
  readonly #key: string;
  readonly #textOf: (name: string) => string;
  #code: string | undefined;

  constructor(build: unknown, key: string, artifact: string, textOf: (name: string) => string) {
    this.artifact = artifact;
    const head = isRecord(build) ? parseBundle({ ...build, code: '', sourceMap: '' }) : undefined;
    if (head === undefined) throw new Error(`the build ${key} is not valid`);
    this.#key = key;
    this.#textOf = textOf;
    this.hash = head.hash;
    this.assignedGlobals = head.assignedGlobals;
    this.inputs = head.inputs;
    this.packages = head.packages;
    this.warnings = head.warnings;
    this.broken = head.broken;
  }

  get code(): string {
    return (this.#code ??= this.#textOf(fileOf(this.#key)));
  }

  get sourceMap(): string {
    return this.#textOf(`${fileOf(this.#key)}.map`);
  }
}
