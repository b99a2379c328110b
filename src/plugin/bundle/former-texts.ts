import { isRecord } from '../../../sandbox/wire/json.js';
import type { Bundle } from '../plugin.js';
import { type Built, type BuiltInPieces, parseBuilt } from './parse-built.js';
import { abbreviate, type InPieces, restorePieces, textOfPieces } from './pieces.js';
import type { BundleSpec } from './spec.js';

/**
 * The texts of the last bundles that a bundler's process sent. The process and the host have the same, because both add
 * the same bundles in the same order. A plugin that is built again after a change has few new pieces.
 */
export interface FormerTexts {
  /** Replaces the pieces that the host has by their numbers. */
  shorten(spec: BundleSpec, built: BuiltInPieces): object;
  /** Reads what `shorten` returned. `undefined`: it is malformed. */
  read(spec: BundleSpec, value: unknown): Built | undefined;
}

type Texts = Pick<InPieces<Bundle>, 'code' | 'sourceMap'>;

const NO_TEXTS: Texts = { code: [], sourceMap: [] };

/** A plugin that its author changes is built in two ways: to run it and to check it. */
const MAX_KINDS = 2;

export function makeFormerTexts(): FormerTexts {
  const kinds = new Map<string, Texts>();
  const kindOf = ({ separate, rewrite }: BundleSpec): string =>
    JSON.stringify([separate ?? null, rewrite ?? true]);
  const remember = (kind: string, { code, sourceMap }: Texts): void => {
    kinds.delete(kind);
    kinds.set(kind, { code, sourceMap });
    const [oldest] = kinds.keys();
    if (kinds.size > MAX_KINDS && oldest !== undefined) kinds.delete(oldest);
  };
  return {
    shorten: (spec, { bundle, evidence }) => {
      const kind = kindOf(spec);
      const former = kinds.get(kind) ?? NO_TEXTS;
      remember(kind, bundle);
      const code = abbreviate(bundle.code, former.code);
      const sourceMap = abbreviate(bundle.sourceMap, former.sourceMap);
      return { bundle: { ...bundle, code, sourceMap }, evidence };
    },
    read: (spec, value) => {
      if (!isRecord(value) || !isRecord(value['bundle'])) return undefined;
      const { bundle } = value;
      const kind = kindOf(spec);
      const former = kinds.get(kind) ?? NO_TEXTS;
      const code = restorePieces(bundle['code'], former.code);
      const sourceMap = restorePieces(bundle['sourceMap'], former.sourceMap);
      if (code === undefined || sourceMap === undefined) return undefined;
      const texts = { code: textOfPieces(code), sourceMap: textOfPieces(sourceMap) };
      const built = parseBuilt({ ...value, bundle: { ...bundle, ...texts } });
      if (built !== undefined) remember(kind, { code, sourceMap });
      return built;
    },
  };
}
