import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeFairQueue } from '../../src/scheduler/fair-queue.js';

interface Person {
  readonly tenant: string;
  readonly plugin: string;
  readonly number: number;
}

const always = (): boolean => true;

function lineOf(people: readonly Person[]): ReturnType<typeof makeFairQueue<string, Person>> {
  const line = makeFairQueue<string, Person>();
  for (const person of people) line.add(person, person);
  return line;
}

const crowd = (tenant: string, plugin: string, count: number): Person[] =>
  Array.from({ length: count }, (_, number) => ({ tenant, plugin, number }));

const nameOf = ({ tenant, plugin, number }: Person): string => `${tenant}.${plugin}${number}`;

const person = fc.record({
  tenant: fc.constantFrom('a', 'b', 'c'),
  plugin: fc.constantFrom('p', 'q', 'r'),
  number: fc.nat(),
});

describe('a fair line', () => {
  it('lets tenants take turns, and the plugins of each', () => {
    const line = lineOf([...crowd('a', 'p', 6), ...crowd('a', 'q', 1), ...crowd('b', 'p', 2)]);
    const left: string[] = [];
    while (line.size > 0)
      left.push(nameOf(line.take(always) ?? { tenant: '', plugin: '', number: 0 }));
    expect(left.join(' ')).toBe('a.p0 b.p0 a.q0 b.p1 a.p1 a.p2 a.p3 a.p4 a.p5');
  });

  it('passes over a plugin that may not go, and keeps its turn', () => {
    const line = lineOf([...crowd('a', 'p', 2), ...crowd('a', 'q', 2)]);
    expect(line.take((plugin) => plugin === 'q')).toMatchObject({ plugin: 'q' });
    expect(line.take(always)).toMatchObject({ plugin: 'p' });
    expect(line.take(() => false)).toBeUndefined();
    expect(line.size).toBe(2);
  });

  it('says who is last in the longest line of the largest crowd', () => {
    const people = [...crowd('a', 'p', 3), ...crowd('a', 'q', 4), ...crowd('b', 'p', 5)];
    const line = lineOf(people);
    expect(line.longest({ tenant: 'b', plugin: 'p' })).toMatchObject({ plugin: 'q', number: 3 });
    const even = lineOf([...crowd('a', 'p', 2), ...crowd('b', 'p', 2)]);
    expect(even.longest({ tenant: 'b', plugin: 'p' })).toMatchObject({ tenant: 'b', number: 1 });
  });

  it('returns each entry once, and none that gave up', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(person, fc.boolean())), (arrivals) => {
        const people = arrivals.map(([one, stays]) => ({ ...one, stays }));
        const line = lineOf(people);
        for (const one of people) {
          if (!one.stays) expect(line.remove(one, one)).toBe(true);
        }
        const left = new Set<Person>();
        for (let next = line.take(always); next !== undefined; next = line.take(always)) {
          left.add(next);
        }
        expect(left).toEqual(new Set(people.filter(({ stays }) => stays)));
        expect(line.size).toBe(0);
        for (const one of people) expect(line.remove(one, one)).toBe(false);
      }),
    );
  });

  it('makes no entry wait for more turns than there are others in the queue', () => {
    fc.assert(
      fc.property(fc.array(person), person, (people, late) => {
        const line = lineOf(people);
        line.add(late, late);
        const others = new Set(people.map(({ tenant }) => tenant).filter((t) => t !== late.tenant));
        const own = people.filter(({ tenant }) => tenant === late.tenant);
        let turns = 0;
        while (line.take(always) !== late) turns += 1;
        // Of every other tenant at most one for each of its own tenant's turns before it.
        const sameLine = own.filter(({ plugin }) => plugin === late.plugin).length;
        const plugins = new Set(own.map(({ plugin }) => plugin)).size;
        expect(turns).toBeLessThanOrEqual((sameLine + 1) * (plugins + 1) * (others.size + 1));
      }),
    );
  });
});
