import { hash } from '../hash.js';

/** The digest that identifies bundles and files, as in Subresource Integrity: `sha512-<base64>`. */
export function integrityOf(content: string | Uint8Array): string {
  return `sha512-${hash('sha512', content, 'base64')}`;
}
