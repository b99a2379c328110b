import { describe, expect, it } from 'vitest';
import { runFiles } from '../fixture.js';

describe('definitions over what SES has frozen', () => {
  it('replace what is inherited, in an object of their own', async () => {
    const value = await runFiles({
      'index.ts': `
        function MyError(this: any) { this.text = 'mine'; }
        MyError.prototype = new RangeError();
        MyError.prototype.constructor = RangeError;
        (MyError as any).prototype.toString = function () { return this.text };
        function Safe() {}
        Safe.prototype = Object.create(String.prototype);
        const prototype = Safe.prototype;
        prototype.valueOf = () => 7;
        export const run = () => [String(new (MyError as any)()), +new (Safe as any)(), MyError.prototype.constructor === RangeError];
      `,
    });
    expect(value).toEqual(['mine', 7, true]);
  });

  it('of intrinsics themselves do nothing in CommonJS, which may be sloppy', async () => {
    const value = await runFiles({
      'index.js': `
        Math.sign = function () { return 'replaced' };
        String.prototype.shout = function () { return this + '!' };
        Object.defineProperty(Array.prototype, 'extra', { value: 1 });
        exports.run = () => [Math.sign(-3), ''.shout === undefined, [].extra === undefined];
      `,
    });
    expect(value).toEqual([-1, true, true]);
  });

  it('of intrinsics throw in ES modules, as in all strict code', async () => {
    await expect(
      runFiles({ 'index.ts': 'Math.sign = () => 0; export const run = () => 1;' }),
    ).rejects.toThrow('Cannot assign to read only property');
    await expect(
      runFiles({ 'index.ts': '(String.prototype as any).x = 1; export const run = () => 1;' }),
    ).rejects.toThrow('not extensible');
  });

  it('leave setters, frozen objects of the plugin and undefined to throw as they would', async () => {
    const value = await runFiles({
      'index.js': `
        const broken = Object.create({ set toString(x) { throw new Error('setter') } });
        const messages = [];
        const attempt = (f) => { try { f(); messages.push('fine') } catch (error) { messages.push(error.message) } };
        attempt(() => { broken.toString = 1 });
        attempt(() => { undefined.toString = 1 });
        attempt(() => { Object.freeze({ toString: 0 }).toString = 1 });
        exports.run = () => messages;
      `,
    });
    expect(value).toEqual(['setter', expect.stringContaining('undefined'), 'fine']);
  });
});

describe('what packages ask for while they load', () => {
  const files = {
    'index.ts': `
      import { seed, later } from 'seeded';
      export const load = () => seed;
      export const run = () => seed.length;
      export const draw = () => later();
      export const own = () => Math.random();
    `,
    'node_modules/seeded/index.js': `
      exports.seed = [Math.random(), Date.now(), +new Date(), (function (m) { return m.random() })(Math)];
      exports.later = () => Math.random();
    `,
  };

  it('is made up, where it is not granted', async () => {
    expect(await runFiles(files, { call: 'load' })).toEqual([
      expect.any(Number),
      0,
      0,
      expect.any(Number),
    ]);
  });

  it('is the same every time, and so tells nothing', async () => {
    expect(await runFiles(files, { call: 'load' })).toEqual(
      await runFiles(files, { call: 'load' }),
    );
  });

  it('is real, where it is granted', async () => {
    const [random, now] = (await runFiles(files, {
      call: 'load',
      random: true,
      time: true,
    })) as number[];
    expect(random).toBe(0.5);
    expect(now).toBeGreaterThan(1e12);
  });

  it('is refused once they have loaded, and to the plugin itself at any time', async () => {
    await expect(runFiles(files, { call: 'draw' })).rejects.toThrow('random');
    await expect(runFiles(files, { call: 'own' })).rejects.toThrow('random');
    await expect(
      runFiles({ 'index.ts': 'const x = Math.random(); export const run = () => x;' }),
    ).rejects.toThrow('random');
  });
});
