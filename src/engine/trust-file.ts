import { formatTrust, NO_TRUST_RULES, parseTrust, type Trust } from '../lock/trust.js';
import { readTrustText, writeTrustText } from './node/lock-files.js';

/** Changes the operator's rules about keys and artifacts. Throws `INVALID_TRUST`. */
export function changeTrust(file: string, change: (trust: Trust) => Trust): Trust {
  const text = readTrustText(file);
  const next = change(text === undefined ? NO_TRUST_RULES : parseTrust(text, file));
  writeTrustText(file, formatTrust(next));
  return next;
}
