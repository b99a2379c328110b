import type { ContextShape } from './contexts.js';
import type { HookContext } from './context.js';
import { DIALECTS } from './dialects.js';
import type { HookDialect } from './names.js';
import type { FieldText, Piece } from './piece.js';

/** A context as a guest is told it, made once for all plugins of a dialect until something changes. */
export interface ContextMessage {
  /** The members of the message's record that are the same for every guest. */
  readonly text: string;
  /** What the fields that are told by reference consist of. */
  readonly pieces: readonly Piece[];
}

/** Bytes up to which a field stands in the message itself. */
const MAX_INLINE_BYTES = 2_048;

export function makeMessage(
  { hook, texts }: HookContext,
  shape: ContextShape,
  dialect: HookDialect,
): ContextMessage {
  const { returned, nothing } = DIALECTS[dialect];
  const inline: string[] = [];
  const large: string[] = [];
  const told: FieldText[] = [];
  for (const [name, { none, missing }] of Object.entries(shape.fields)) {
    const key = JSON.stringify(name);
    const field = texts.get(name);
    if (field === undefined) {
      if (missing !== undefined && 'value' in missing)
        inline.push(`${key}:${JSON.stringify(missing.value)}`);
      else if (none === 'null') inline.push(`${key}:null`);
      continue;
    }
    const { list, pieces } = field;
    if (pieces.length <= 1 && (pieces[0]?.bytes ?? 0) <= MAX_INLINE_BYTES) {
      const text = pieces[0]?.text ?? '';
      inline.push(`${key}:${list ? `[${text}]` : text}`);
    } else {
      if (!told.includes(field)) told.push(field);
      large.push(`${key}:${told.indexOf(field)}`);
    }
  }
  const mutable = Object.entries(shape.fields).flatMap(([name, field]) =>
    field.mutable ? [{ name, none: field.none ?? null }] : [],
  );
  const rest = JSON.stringify({ hook, returned, nothing, mutable, lends: shape.lends });
  return {
    text: `${rest.slice(1, -1)},"fields":{${inline.join(',')}},"large":{${large.join(',')}},"told":[${told.map(tellField).join(',')}]`,
    pieces: told.flatMap(({ pieces }) => pieces),
  };
}

function tellField({ list, pieces }: FieldText): string {
  return `{"list":${list},"pieces":[${pieces.map(({ id }) => id).join(',')}]}`;
}

/** A piece as a guest is told it, which is once. */
export function tellPiece({ id, quoted, items, nodes }: Piece): string {
  return `[${id},${quoted},${items},${nodes}]`;
}
