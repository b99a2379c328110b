import { always, type UrlLike } from './compartment-globals.js';

/** The path in a `file:` URL. */
export function fileURLToPath(url: string | UrlLike): string {
  const parsed = typeof url === 'string' ? new (always('URL'))(url) : url;
  if (parsed.protocol !== 'file:') {
    throw Object.assign(new TypeError('The URL must be of scheme file'), {
      code: 'ERR_INVALID_URL_SCHEME',
    });
  }
  return decodeURIComponent(parsed.pathname);
}

export function pathToFileURL(path: string): UrlLike {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return new (always('URL'))(`file://${encoded.startsWith('/') ? '' : '/plugin/'}${encoded}`);
}
