import { readText } from '../architecture/sources.js';

/** A claim of SECURITY.md: a numbered heading, how it is enforced, and the tests that prove it. */
export interface Claim {
  readonly number: string;
  readonly title: string;
  readonly enforced: string;
  /** Paths from the root of the repository. */
  readonly tests: readonly string[];
}

export const claims: readonly Claim[] = readText('SECURITY.md')
  .split(/^(?=#{2,4} )/m)
  .flatMap((section) => {
    const [, number, title] = /^#### (\d+)\. (.+)$/m.exec(section) ?? [];
    if (number === undefined || title === undefined) return [];
    const [, enforced = ''] = /^Enforced by: ([^]*?)(?=\n\n|$)/m.exec(section) ?? [];
    const [, tests = ''] = /^Tests: (.+)$/m.exec(section) ?? [];
    const paths = [...tests.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
    return [{ number, title, enforced, tests: paths }];
  });
