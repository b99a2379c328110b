import { expect, it } from 'vitest';
import { makeInFlight } from '../../src/http/in-flight.js';

type Enter = ReturnType<typeof makeInFlight>['enter'];

/** How many places a caller gets who takes all that there are. */
function taken(enter: Enter, caller?: string): (() => void)[] {
  const leaves: (() => void)[] = [];
  for (let leave = enter(caller); leave !== undefined; leave = enter(caller)) leaves.push(leave);
  return leaves;
}

it('who is not told apart from others gets every place', () => {
  expect(taken(makeInFlight(64).enter)).toHaveLength(64);
});

it('callers that take all they get leave places for those who come next', () => {
  const { enter } = makeInFlight(64);
  expect(['a', 'b', 'c'].map((caller) => taken(enter, caller).length)).toEqual([48, 12, 3]);
  expect(enter('d')).toBeTypeOf('function');
  expect(enter('e')).toBeUndefined();
});

it('a caller gets again what it has let go of, and leaves no trace', () => {
  const { enter } = makeInFlight(8);
  for (let round = 0; round < 3; round += 1) {
    const leaves = taken(enter, 'a');
    expect(leaves).toHaveLength(6);
    for (const leave of leaves) {
      leave();
      leave();
    }
  }
});

it('the only place there is goes to whoever comes first', () => {
  const { enter } = makeInFlight(1);
  const leave = enter('a');
  expect(leave).toBeTypeOf('function');
  expect(enter('b')).toBeUndefined();
  leave?.();
  expect(enter('b')).toBeTypeOf('function');
});
