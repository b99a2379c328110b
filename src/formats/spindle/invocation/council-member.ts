import type { JsonObject } from '../../../../sandbox/wire/messages.js';
import { isObject } from '../../../schema/shape.js';

/** The member of a council that a tool is called for (Spindle tools, Council member context). */
export interface CouncilMemberContext extends JsonObject {
  /** Of the member's row in the council's settings. */
  readonly memberId: string;
  /** The item that the member is made of, and the pack that it lies in. */
  readonly itemId: string;
  readonly packId: string;
  readonly packName: string;
  readonly name: string;
  /** As the user wrote it; empty where they did not. */
  readonly role: string;
  /** How likely the member takes part, 0 to 100. */
  readonly chance: number;
  /** Relative to the host. */
  readonly avatarUrl: string | null;
  readonly definition: string;
  readonly personality: string;
  readonly behavior: string;
  /** 0 feminine, 1 masculine, 2 neutral, 3 any. */
  readonly genderIdentity: number;
}

/**
 * A member with exactly its twelve fields, whatever else a host says of it; what it does not say is
 * empty. `undefined` where it is no object.
 */
export function readCouncilMember(given: unknown): CouncilMemberContext | undefined {
  if (!isObject(given)) return undefined;
  const text = (field: string): string => (typeof given[field] === 'string' ? given[field] : '');
  const { avatarUrl, chance, genderIdentity } = given;
  return {
    memberId: text('memberId'),
    itemId: text('itemId'),
    packId: text('packId'),
    packName: text('packName'),
    name: text('name'),
    role: text('role'),
    chance: typeof chance === 'number' && Number.isFinite(chance) ? clamp(chance) : 100,
    avatarUrl: typeof avatarUrl === 'string' ? avatarUrl : null,
    definition: text('definition'),
    personality: text('personality'),
    behavior: text('behavior'),
    genderIdentity: isGender(genderIdentity) ? genderIdentity : 3,
  };
}

function clamp(chance: number): number {
  return Math.min(100, Math.max(0, chance));
}

function isGender(value: unknown): value is number {
  return value === 0 || value === 1 || value === 2 || value === 3;
}
