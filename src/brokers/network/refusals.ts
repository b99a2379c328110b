import type { PluginIdentity } from '../../../sandbox/wire/methods.js';
import { BulkheadError } from '../../errors.js';
import { closest } from '../../permissions/closest.js';
import type { NetworkLimits } from './limits.js';
import { portOf } from './names.js';

/**
 * Every sentence with which the network broker refuses something. They reach the plugin, so they
 * name nothing that it did not say itself but its own grant: no address, no path of the host.
 */
export interface Refusals {
  /** The grant does not cover this. `from` is the host that redirected here. */
  notGranted(url: URL, method: string, from?: string): BulkheadError<'NETWORK_DENIED'>;
  /** The name or address itself is one that no plugin reaches. `why` is for the host's log. */
  privateHost(host: string, why: string): BulkheadError<'NETWORK_DENIED'>;
  /** The name led to an address that no plugin reaches. */
  privateAddress(host: string, why: string): BulkheadError<'NETWORK_DENIED'>;
  /** No permission covers such a request: a scheme, a method, a header that is not one. */
  malformed(what: string, wanted: string): BulkheadError<'NETWORK_DENIED'>;
  failed(host: string, why: string, cause?: unknown): BulkheadError<'NETWORK_FAILED'>;
  /** The body of a request broke off on the plugin's side. */
  bodyBroke(cause: unknown): BulkheadError<'NETWORK_FAILED'>;
  limit(limit: keyof NetworkLimits, what: string): BulkheadError<'NETWORK_LIMIT'>;
  cancelled(): BulkheadError<'CANCELLED'>;
  revoked(): BulkheadError<'PERMISSION_REVOKED'>;
}

export function makeRefusals(
  plugin: PluginIdentity,
  granted: readonly string[],
  limits: NetworkLimits,
): Refusals {
  const denied = (wanted: string, message: string, cause?: unknown) =>
    new BulkheadError(
      'NETWORK_DENIED',
      message,
      { plugin: plugin.id, wanted, granted: [...granted] },
      { cause },
    );
  // What is granted may change: the list is the broker's own, read when something is refused.
  const holds = (): string =>
    granted.length === 0 ? 'it is granted no host' : `it is granted ${list(granted)}`;

  return {
    notGranted: (url, method, from) => {
      const wanted = wantedText(url, method, granted);
      const near = closest(wanted, granted);
      return denied(
        wanted,
        `Network denied: ${cut(hostWithPort(url))} is not in the allowed list of ${plugin.id}` +
          ` (${holds()}).${from === undefined ? '' : ` ${cut(from)} redirected there.`}` +
          (near === undefined ? '' : ` Is "${near}" meant?`) +
          ` To allow it, add "${wanted}" to the network permission in ${plugin.manifest}.`,
      );
    },
    privateHost: (host, why) =>
      denied(
        cut(host),
        `SSRF blocked: ${cut(host)} is a private address or name, which ${plugin.id} may not reach` +
          ` even where it is granted. ${overrideRemedy(host)}`,
        why,
      ),
    privateAddress: (host, why) =>
      denied(
        cut(host),
        `SSRF blocked: ${cut(host)} resolves to a private address, which ${plugin.id} may not reach` +
          ` even where it is granted. ${overrideRemedy(host)}`,
        why,
      ),
    malformed: (what, wanted) =>
      denied(cut(wanted), `Network denied: ${plugin.id} sent a request that is not made: ${what}.`),
    failed: (host, why, cause) =>
      new BulkheadError(
        'NETWORK_FAILED',
        `The request of ${plugin.id} to ${cut(host)} failed: ${why}.`,
        { host: cut(host) },
        { cause },
      ),
    bodyBroke: (cause) =>
      new BulkheadError(
        'NETWORK_FAILED',
        `A request of ${plugin.id} failed: its body broke off.`,
        { host: '' },
        { cause },
      ),
    limit: (limit, what) =>
      new BulkheadError(
        'NETWORK_LIMIT',
        `A request of ${plugin.id} was stopped: ${what}. The limit ${limit} is ${limits[limit]};` +
          ' the operator can raise it.',
        { limit },
      ),
    cancelled: () => new BulkheadError('CANCELLED', `A request of ${plugin.id} was given up.`, {}),
    revoked: () =>
      new BulkheadError(
        'PERMISSION_REVOKED',
        `The network permission of ${plugin.id} was taken away, and its requests with it.`,
        { permission: 'network' },
      ),
  };
}

/** The least that would have to be granted, as one writes it in a manifest. */
function wantedText(url: URL, method: string, granted: readonly string[]): string {
  const host = hostWithPort(url);
  if (granted.some((text) => text.endsWith(` ${host}`))) return `${method} ${cut(host)}`;
  const secureOnly = url.protocol === 'http:' && granted.includes(`https://${host}`);
  return secureOnly ? `http://${cut(host)}` : cut(host);
}

function hostWithPort(url: URL): string {
  return url.port === '' ? url.hostname : `${url.hostname}:${portOf(url)}`;
}

function overrideRemedy(host: string): string {
  return `Only the operator can open it, with a host override: ${cut(host)}=URL.`;
}

function list(granted: readonly string[]): string {
  const shown = granted.slice(0, 8).map((text) => `"${text}"`);
  return granted.length > 8
    ? `${shown.join(', ')} and ${granted.length - 8} more`
    : shown.join(', ');
}

/** A text of a plugin's or a server's, no longer than a host name with its port. */
export function cut(text: string): string {
  return text.length > 260 ? `${text.slice(0, 260)}…` : text;
}
