import { grantRemedy } from '../../../sandbox/wire/grant-remedy.js';
import type { PluginIdentity } from '../../../sandbox/wire/methods.js';
import { BulkheadError } from '../../errors.js';
import { didYouMean } from '../../did-you-mean.js';
import type { NetworkLimits } from '../limits.js';
import { portOf } from './addresses.js';

/**
 * Every refusal of the network broker. Plugins read them, so they contain only the plugin's own
 * values and grant, and no address or path of the host.
 */
export interface Refusals {
  /** The grant does not cover it. `from` is the host that redirected here. */
  notGranted(url: URL, method: string, from?: string): BulkheadError<'NETWORK_DENIED'>;
  /** The plugin may reach it, and the npm package that makes the request may not. */
  notOfPackage(url: URL, from?: string): BulkheadError<'NETWORK_DENIED'>;
  /** No plugin may reach this name or address. `why` is for the host's log. */
  privateHost(host: string, why: string): BulkheadError<'NETWORK_DENIED'>;
  /** The name resolves to an address that no plugin may reach. */
  privateAddress(host: string, why: string): BulkheadError<'NETWORK_DENIED'>;
  /** The address is a port on which this process itself listens. */
  ownPort(host: string): BulkheadError<'NETWORK_DENIED'>;
  /** No permission can cover it: an invalid scheme, method or header. */
  malformed(what: string, wanted: string): BulkheadError<'NETWORK_DENIED'>;
  /** The binding of a secret refuses it: it could reach another account. */
  otherAccount(url: URL, why: string): BulkheadError<'NETWORK_DENIED'>;
  failed(host: string, why: string, cause?: unknown): BulkheadError<'NETWORK_FAILED'>;
  /** The plugin's side failed while sending the body. */
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
  // The broker updates this list when the grant changes, so it is read at each refusal.
  const holds = (): string =>
    granted.length === 0 ? 'it is granted no host' : `it is granted ${list(granted)}`;

  return {
    notGranted: (url, method, from) => {
      const wanted = wantedText(url, method, granted);
      const near = didYouMean(wanted, granted);
      return denied(
        wanted,
        `Network denied: ${cut(hostWithPort(url))} is not in the allowed list of ${plugin.id}` +
          ` (${holds()}).${from === undefined ? '' : ` ${cut(from)} redirected there.`}` +
          (near === undefined ? '' : ` Did you mean "${near}"?`) +
          ` ${grantRemedy(plugin, 'network', wanted)}`,
      );
    },
    notOfPackage: (url, from) =>
      denied(
        cut(hostWithPort(url)),
        `Network denied: the package of ${plugin.id} that makes this request may not reach ${cut(hostWithPort(url))}.` +
          `${from === undefined ? '' : ` ${cut(from)} redirected there.`} To allow it, add the host to the network grant of the package.`,
      ),
    privateHost: (host, why) =>
      denied(
        cut(host),
        `SSRF blocked: ${cut(host)} is a private address or name, which ${plugin.id} may not reach` +
          ` even if it is granted. ${overrideRemedy(host)}`,
        why,
      ),
    privateAddress: (host, why) =>
      denied(
        cut(host),
        `SSRF blocked: ${cut(host)} resolves to a private address, which ${plugin.id} may not reach` +
          ` even if it is granted. ${overrideRemedy(host)}`,
        why,
      ),
    ownPort: (host) =>
      denied(
        cut(host),
        `Network denied: ${cut(host)} leads to a server of Bulkhead itself, which ${plugin.id} may not reach. Point the host override to another server.`,
        'it is a port of Bulkhead',
      ),
    malformed: (what, wanted) =>
      denied(
        cut(wanted),
        `Network denied: ${plugin.id} sent a request that is not valid: ${what}.`,
      ),
    otherAccount: (url, why) =>
      denied(
        cut(hostWithPort(url)),
        `Network denied: a request of ${plugin.id} to ${cut(hostWithPort(url))} was not sent, because ${cut(why)}. The binding of that secret says "only". To allow other accounts, remove "only" from it.`,
      ),
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
        `A request of ${plugin.id} failed: its body is incomplete.`,
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
    cancelled: () => new BulkheadError('CANCELLED', `A request of ${plugin.id} was cancelled.`, {}),
    revoked: () =>
      new BulkheadError(
        'PERMISSION_REVOKED',
        `The network permission of ${plugin.id} was revoked, so its open requests were stopped.`,
        { permission: 'network' },
      ),
  };
}

/** The smallest permission that covers the request, as written in a manifest. */
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
  return `To allow this, the operator names the server that answers for it: --host-override ${cut(host)}=URL, or the option network.overrides.`;
}

function list(granted: readonly string[]): string {
  const shown = granted.slice(0, 8).map((text) => `"${text}"`);
  return granted.length > 8
    ? `${shown.join(', ')} and ${granted.length - 8} more`
    : shown.join(', ');
}

/** Cuts a text of a plugin or a server to the length of a host name with its port. */
export function cut(text: string): string {
  return text.length > 260 ? `${text.slice(0, 260)}…` : text;
}
