import { randomBytes } from 'node:crypto';
import { BulkheadError } from '../errors.js';

/**
 * What a credential of the operator allows. `call`: run tools over MCP. `view`: read the plugins, the
 * pending approvals and the metrics. `answer`: read and answer approvals. `administer`: switch plugins in the
 * console. No credential allows what
 * another one is for: a program that may call never answers its own questions.
 */
export type Role = 'call' | 'view' | 'answer' | 'administer';

/** The token of each role. */
export type Credentials = Readonly<Record<Role, string>>;

/** The roles in the order in which they are printed, and the option of each. */
export const ROLE_OPTIONS: Readonly<Record<Role, string>> = {
  call: '--token',
  view: '--view-token',
  answer: '--answer-token',
  administer: '--admin-token',
};

export const ROLES: readonly Role[] = ['call', 'view', 'answer', 'administer'];

/** Shortest token that an operator may choose. It stops guesses. */
export const MIN_TOKEN_CHARACTERS = 16;

/** Completes the chosen tokens with random ones. Throws `INVALID_OPTIONS`. */
export function completeCredentials(chosen: Partial<Credentials>): Credentials {
  const all: Credentials = {
    call: chosen.call ?? newToken(),
    view: chosen.view ?? newToken(),
    answer: chosen.answer ?? newToken(),
    administer: chosen.administer ?? newToken(),
  };
  for (const role of ROLES) checkToken(ROLE_OPTIONS[role], all[role]);
  // guard: credentials-separate
  if (new Set(Object.values(all)).size < Object.keys(all).length) {
    throw invalid(
      'Two of --token, --view-token, --answer-token and --admin-token are the same, so a caller could answer its own approvals. Use another token for each.',
    );
  }
  return all;
}

/** Throws `INVALID_OPTIONS` for a token that is short, or that a header cannot carry. */
function checkToken(option: string, token: string): void {
  // guard: short-token-refused
  if (token.length < MIN_TOKEN_CHARACTERS) {
    throw invalid(
      `The token of ${option} (or its variable or key) has ${token.length} characters, and a token needs ${MIN_TOKEN_CHARACTERS} or more. Create one with \`bulkhead keys new token\`.`,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw invalid(
      `The token of ${option} (or its variable or key) has spaces or characters outside ASCII, which a header cannot carry. Create one with \`bulkhead keys new token\`.`,
    );
  }
}

function newToken(): string {
  return randomBytes(24).toString('base64url');
}

function invalid(message: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', message, { option: 'token' });
}
