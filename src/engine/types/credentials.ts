/**
 * The source of plugins' credentials. The engine calls it with the plugin's id and the key without
 * that id: `('weather', 'api_key')` for `weather/api_key`. A plugin cannot request another plugin's
 * credentials. If the source returns `undefined`, the plugin's request fails. `tenant` is present if the
 * option `isolation` keeps the plugin's tenants apart: return the credential of that tenant alone.
 */
export type Credentials = CredentialSource | CredentialStore;

export type CredentialSource = (
  plugin: string,
  key: string,
  tenant?: string,
) => string | undefined | Promise<string | undefined>;

export interface CredentialStore {
  readonly resolve: CredentialSource;
  /**
   * Stores a credential for the plugin, and for `tenant` alone if it is present. If absent, plugins
   * cannot store credentials.
   */
  readonly store?: (
    plugin: string,
    key: string,
    value: string,
    tenant?: string,
  ) => void | Promise<void>;
}
