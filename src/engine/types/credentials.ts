/**
 * The source of plugins' credentials. The engine calls it with the plugin's id and the key without
 * that id: `('weather', 'api_key')` for `weather/api_key`. A plugin cannot request another plugin's
 * credentials. If the source returns `undefined`, the plugin's request fails.
 */
export type Credentials = CredentialSource | CredentialStore;

export type CredentialSource = (
  plugin: string,
  key: string,
) => string | undefined | Promise<string | undefined>;

export interface CredentialStore {
  readonly resolve: CredentialSource;
  /** Stores a credential for the plugin. If absent, plugins cannot store credentials. */
  readonly store?: (plugin: string, key: string, value: string) => void | Promise<void>;
}
