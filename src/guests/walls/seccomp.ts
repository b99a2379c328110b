import {
  type Architecture,
  type Condition,
  type Confined,
  type Errno,
  ERRNO,
  GAPS,
  HIGHEST_KNOWN,
  type Refusal,
  refusedCalls,
  SELF,
} from './system-calls.js';

/**
 * The seccomp filter of a guest, as the kernel reads it: instructions of eight bytes (`struct
 * sock_filter`), little-endian.
 *
 * ```
 *   another architecture → the kernel kills the process
 *   number → binary search over ranges → allow · EPERM · ESRCH · ENOSYS · conditions on arguments
 *   above the highest known number → ENOSYS   (also every number of the x32 interface)
 * ```
 *
 * `self` is the number of the confined process, if it is known. `installSelf` replaces it otherwise.
 */
export function seccompFilter(
  architecture: Architecture,
  confined: Confined,
  self: number = SELF,
): Buffer {
  return makeFilter(architecture, refusedCalls(confined), self);
}

/** A filter that refuses these system calls, and every number that the table does not know. */
export function makeFilter(
  architecture: Architecture,
  refusals: readonly Refusal[],
  self: number = SELF,
): Buffer {
  const { starts, ends } = segmentsOf(architecture, refusals);
  const search = searchTree(starts, ends, 0, ends.length);
  const blocks = new Map<Refusal, Instruction[]>();
  for (const end of ends) {
    if (typeof end === 'object' && !blocks.has(end)) blocks.set(end, checks(end, self));
  }
  const prologue: Instruction[] = [
    load(OFFSET.architecture),
    { code: JEQ, k: AUDIT[architecture], jt: 1, jf: 0 },
    { code: RET, k: KILL_PROCESS },
    load(OFFSET.number),
  ];
  // Blocks follow the search. A jump's distance counts from the next instruction.
  const positions = new Map<Refusal, number>();
  let position = search.length;
  for (const [refusal, block] of blocks) {
    positions.set(refusal, position);
    position += block.length;
  }
  const linked = search.map((instruction, index): Instruction => {
    const target = instruction.block && positions.get(instruction.block);
    return target === undefined ? instruction : { code: JA, k: target - index - 1 };
  });
  return assemble([...prologue, ...linked, ...[...blocks.values()].flat()]);
}

/** Bytes in which the number of the confined process stands until it is known. */
export function selfBytes(): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(SELF);
  return bytes;
}

interface Instruction {
  readonly code: number;
  readonly k: number;
  readonly jt?: number;
  readonly jf?: number;
  /** Jumps to the conditions of this call. */
  readonly block?: Refusal;
}

const LD_W_ABS = 0x20;
const JA = 0x05;
const JEQ = 0x15;
const JGE = 0x35;
const JSET = 0x45;
const RET = 0x06;

const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const RETURN_ERRNO = 0x0005_0000;

/** Offsets in `struct seccomp_data`. */
const OFFSET = { number: 0, architecture: 4, arguments: 16 };

const AUDIT: Readonly<Record<Architecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };

/** What happens to the numbers of a segment. */
type End = 'allow' | Errno | Refusal;

/** Splits all numbers into segments that end alike. Each starts at `starts[i]`. */
function segmentsOf(
  architecture: Architecture,
  refusals: readonly Refusal[],
): { readonly starts: readonly number[]; readonly ends: readonly End[] } {
  const byNumber = new Map<number, End>();
  for (const refusal of refusals) {
    const number = refusal.numbers[architecture];
    if (number === undefined) continue;
    byNumber.set(number, refusal.unless.length === 0 ? refusal.errno : refusal);
  }
  const [gapStart, gapEnd] = GAPS[architecture];
  for (let number = gapStart; number <= gapEnd; number += 1) byNumber.set(number, 'ENOSYS');
  const starts: number[] = [];
  const ends: End[] = [];
  for (let number = 0; number <= HIGHEST_KNOWN + 1; number += 1) {
    // guard: unknown-calls-refused
    const end = number > HIGHEST_KNOWN ? 'ENOSYS' : (byNumber.get(number) ?? 'allow');
    if (end === ends.at(-1)) continue;
    starts.push(number);
    ends.push(end);
  }
  return { starts, ends };
}

/** Only the jumps by `JA` can be long: the offsets of a comparison have eight bits. */
function searchTree(
  starts: readonly number[],
  ends: readonly End[],
  from: number,
  to: number,
): Instruction[] {
  if (to - from === 1) return [finish(ends[from] ?? 'ENOSYS')];
  const middle = (from + to) >> 1;
  const left = searchTree(starts, ends, from, middle);
  const right = searchTree(starts, ends, middle, to);
  return [
    { code: JGE, k: starts[middle] ?? 0, jt: 0, jf: 1 },
    { code: JA, k: left.length },
    ...left,
    ...right,
  ];
}

function finish(end: End): Instruction {
  if (end === 'allow') return { code: RET, k: ALLOW };
  if (typeof end === 'object') return { code: JA, k: 0, block: end };
  return { code: RET, k: RETURN_ERRNO | ERRNO[end] };
}

/** Every condition has to hold. Each jumps to the next, or returns the error. */
function checks({ unless, errno }: Refusal, self: number): Instruction[] {
  const refuse = finish(errno);
  return [...unless.flatMap((condition) => check(condition, refuse, self)), finish('allow')];
}

function check(condition: Condition, refuse: Instruction, self: number): Instruction[] {
  const argument = load(OFFSET.arguments + 8 * condition.argument);
  if ('without' in condition) {
    return [argument, { code: JSET, k: condition.without, jt: 0, jf: 1 }, refuse];
  }
  if ('having' in condition) {
    return [argument, { code: JSET, k: condition.having, jt: 1, jf: 0 }, refuse];
  }
  if ('except' in condition) {
    const { except } = condition;
    return [
      argument,
      ...except.map((k, index) => ({ code: JEQ, k, jt: except.length - index, jf: 0 })),
      { code: JA, k: 1 },
      refuse,
    ];
  }
  const among = condition.among.map((value) => (value === SELF ? self : value));
  return [
    argument,
    ...among.map((k, index) => ({ code: JEQ, k, jt: among.length - index, jf: 0 })),
    refuse,
  ];
}

function load(k: number): Instruction {
  return { code: LD_W_ABS, k };
}

function assemble(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8);
  instructions.forEach(({ code, k, jt = 0, jf = 0 }, index) => {
    const at = index * 8;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(jt, at + 2);
    bytes.writeUInt8(jf, at + 3);
    bytes.writeUInt32LE(k >>> 0, at + 4);
  });
  return bytes;
}
