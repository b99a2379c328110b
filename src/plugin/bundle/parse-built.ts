import { isRecord } from '../../../sandbox/wire/json.js';
import type { BuildProblem } from '../../errors.js';
import type { Bundle } from '../plugin.js';
import type { Evidence, FileEvidence } from './evidence.js';
import type { InPieces } from './pieces.js';

/** A bundle, and the state of the files that it was built from. */
export interface Built {
  readonly bundle: Bundle;
  readonly evidence: Evidence;
}

/** The same, as the bundler's process sends it. */
export interface BuiltInPieces extends Omit<Built, 'bundle'> {
  readonly bundle: InPieces<Bundle>;
}

/** Parses a result from another process or a file; `undefined` if it is malformed. */
export function parseBuilt(value: unknown): Built | undefined {
  if (!isRecord(value)) return undefined;
  const bundle = parseBundle(value['bundle']);
  const evidence = parseEvidence(value['evidence']);
  return bundle === undefined || evidence === undefined ? undefined : { bundle, evidence };
}

export function parseBundle(value: unknown): Bundle | undefined {
  if (!isRecord(value)) return undefined;
  const { code, hash, sourceMap, assignedGlobals, inputs, packages, warnings, broken } = value;
  const isWhole =
    typeof code === 'string' &&
    typeof hash === 'string' &&
    typeof sourceMap === 'string' &&
    isList(assignedGlobals, isText) &&
    isList(inputs, isInput) &&
    isList(packages, isPackage) &&
    isList(warnings, isText) &&
    isList(broken, isBroken);
  return isWhole
    ? { code, hash, sourceMap, assignedGlobals, inputs, packages, warnings, broken }
    : undefined;
}

function parseEvidence(value: unknown): Evidence | undefined {
  if (!isRecord(value)) return undefined;
  const { root, hoisted, files, lookups } = value;
  const isWhole =
    isText(root) &&
    isList(hoisted, isText) &&
    isRecordOf(files, isFileEvidence) &&
    isRecordOf(lookups, isText);
  return isWhole ? { root, hoisted, files, lookups } : undefined;
}

export function parseProblems(value: unknown): BuildProblem[] {
  return isList(value, isProblem) ? [...value] : [];
}

function isProblem(value: unknown): value is BuildProblem {
  const isOptional = (field: unknown, type: string): boolean =>
    field === undefined || typeof field === type;
  return (
    isRecord(value) &&
    typeof value['message'] === 'string' &&
    ['file', 'lineText', 'remedy'].every((name) => isOptional(value[name], 'string')) &&
    ['line', 'column'].every((name) => isOptional(value[name], 'number'))
  );
}

function isInput(value: unknown): value is Bundle['inputs'][number] {
  return (
    isRecord(value) &&
    isText(value['path']) &&
    typeof value['bytes'] === 'number' &&
    isText(value['hash'])
  );
}

function isPackage(value: unknown): value is Bundle['packages'][number] {
  return (
    isRecord(value) &&
    isText(value['name']) &&
    isText(value['path']) &&
    ['version', 'license'].every((key) => value[key] === undefined || isText(value[key]))
  );
}

function isBroken(value: unknown): value is Bundle['broken'][number] {
  return isRecord(value) && isText(value['file']) && isText(value['message']);
}

function isFileEvidence(value: unknown): value is FileEvidence {
  return (
    isRecord(value) &&
    isText(value['stamp']) &&
    typeof value['bytes'] === 'number' &&
    isText(value['hash'])
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isList<Item>(
  value: unknown,
  isItem: (item: unknown) => item is Item,
): value is readonly Item[] {
  return Array.isArray(value) && value.every(isItem);
}

function isRecordOf<Item>(
  value: unknown,
  isItem: (item: unknown) => item is Item,
): value is Readonly<Record<string, Item>> {
  return isRecord(value) && Object.values(value).every(isItem);
}
