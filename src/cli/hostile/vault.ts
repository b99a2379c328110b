import { randomUUID } from 'node:crypto';
import type { CliPowers } from '../powers.js';

/** A server on this machine that no plugin was granted: whoever reaches it has escaped. */
export interface Vault extends AsyncDisposable {
  readonly url: string;
  /** What it serves, made anew each time, so that nobody can know it from elsewhere. */
  readonly secret: string;
  visits(): number;
}

export async function openVault({ serve }: Pick<CliPowers, 'serve'>): Promise<Vault> {
  const secret = `secret-${randomUUID()}`;
  let visits = 0;
  const server = await serve(() => {
    visits += 1;
    return { status: 200, body: { secret } };
  });
  return {
    url: `${server.url}/secret`,
    secret,
    visits: () => visits,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
