/**
 * Requests to a host. Without a scheme both are meant, because that is what the formats' own
 * documents promise for a bare name; the sentence for a person then says that http is cleartext.
 */
export interface NetworkScope {
  /** Upper case, sorted, without doubles; `undefined`: any method. */
  readonly methods: readonly string[] | undefined;
  /** `undefined`: both. */
  readonly scheme: Scheme | undefined;
  /** Whether the host's subdomains are meant, in place of the host. */
  readonly subdomains: boolean;
  /** As `URL.hostname` writes it (lower case, punycode, IPv6 in brackets), without a final dot. */
  readonly host: string;
  /** `undefined`: the port that belongs to the scheme. */
  readonly port: number | undefined;
}

export type Scheme = 'http' | 'https';

export const OWN_PORT: Readonly<Record<Scheme, number>> = { http: 80, https: 443 };
