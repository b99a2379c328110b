import type { GuestGrant, PluginIdentity } from './methods.js';

/**
 * The end of a denial's message: what the operator can do, then what the author can. `scope`: the host, name
 * or path that would do. The text has a placeholder without it, and for one with characters that a shell or a
 * terminal could take for more than a name.
 */
export function grantRemedy(
  plugin: Pick<PluginIdentity, 'manifest' | 'undeclared'>,
  kind: keyof GuestGrant,
  scope?: string,
): string {
  const shown = scope !== undefined && PLAIN.test(scope) ? scope : PLACEHOLDERS[kind];
  const permission = shown === undefined ? kind : `${kind}:${shown}`;
  const flag = `--allow ${WORD.test(permission) ? permission : `'${permission}'`}`;
  const member = `"${kind}": ${shown === undefined ? 'true' : `["${shown}"]`}`;
  const edit = `add ${member} to "permissions" in ${plugin.manifest}`;
  return plugin.undeclared === true || plugin.undeclared?.includes(kind) === true
    ? `To allow this, grant it: ${flag}, or ${member} in the option "grant". Or ${edit} and grant it.`
    : `To allow this, grant it (${flag}, or ${member} in the option "grant") if the manifest declares it. If not, first ${edit}.`;
}

/** Permissions without a scope have no placeholder. */
const PLACEHOLDERS: Readonly<Partial<Record<keyof GuestGrant, string>>> = {
  network: '<host name>',
  env: '<variable name>',
  fs: '<path prefix>',
  powers: '<name>',
};

const PLAIN = /^[\p{L}\p{M}\p{N}_.*/@+,:[\] -]{1,300}$/u;

/** What shells take as it is. */
const WORD = /^[\w.:/@+,-]+$/;
