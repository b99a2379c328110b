import type { FilesOptions, PluginFiles } from '../engine/files.js';
import { isBulkheadError } from '../errors.js';
import type { Route } from './route.js';
import { HttpRefusal, jsonResponse } from './refusal.js';

export interface FileRoutesSpec {
  readonly files: (plugin: string, options: FilesOptions) => PluginFiles;
}

/**
 * The files that tools wrote. `GET /api/files?plugin=ID` lists those of calls without a tenant;
 * `&tenant=NAME` those of a tenant, `&call=ID` those of one call. `GET /api/files/<id>` with the
 * same query answers the content of one, always as an attachment.
 */
export function fileRoutes({ files }: FileRoutesSpec): readonly Route[] {
  const filesFor = (request: Request): PluginFiles => {
    if (request.method !== 'GET') throw new HttpRefusal(405, 'Read files with GET');
    const { searchParams } = new URL(request.url);
    const unknown = [...searchParams.keys()].find((name) => !PARAMETERS.has(name));
    if (unknown !== undefined) {
      throw new HttpRefusal(400, `There is no parameter ${unknown.slice(0, 100)}`);
    }
    const plugin = searchParams.get('plugin');
    const tenant = searchParams.get('tenant');
    const callId = searchParams.get('call');
    if (plugin === null) throw new HttpRefusal(400, 'Name the plugin: ?plugin=ID');
    try {
      return files(plugin, {
        ...(tenant === null ? {} : { tenant }),
        ...(callId === null ? {} : { callId }),
      });
    } catch (error) {
      if (!isBulkheadError(error, 'PLUGIN_NOT_FOUND')) throw error;
      throw new HttpRefusal(404, error.message);
    }
  };
  const fetchOne = async (request: Request): Promise<Response> => {
    const found = filesFor(request);
    const id = new URL(request.url).pathname.split('/').at(-1) ?? '';
    const file = await found.open(id).catch((error: unknown) => {
      if (!isBulkheadError(error)) throw error;
      throw new HttpRefusal(403, 'The file is not inside the places of its plugin any more');
    });
    if (file === undefined) throw new HttpRefusal(404, 'There is no such file');
    // Half a character would not be encoded. The other characters have a meaning in a header.
    const name = encodeURIComponent(Buffer.from(file.name).toString()).replace(
      /['()*!]/g,
      (character) => `%${character.charCodeAt(0).toString(16)}`,
    );
    return new Response(file.content, {
      headers: {
        // A plugin wrote it: no browser shows or runs it.
        // guard: files-are-attachments
        'content-disposition': `attachment; filename*=UTF-8''${name}`,
        'content-type': 'application/octet-stream',
        'content-length': String(file.bytes),
        'content-security-policy': "sandbox; default-src 'none'",
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      },
    });
  };
  return [
    {
      path: '/api/files',
      access: ['view'],
      fetch: async (request) => jsonResponse({ files: filesFor(request).list() }),
    },
    { path: '/api/files/:id', access: ['view'], fetch: fetchOne },
  ];
}

const PARAMETERS: ReadonlySet<string> = new Set(['plugin', 'tenant', 'call']);
