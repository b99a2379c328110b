import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A version of a package, as its author publishes it. */
export interface Published {
  readonly name: string;
  readonly version?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** Further keys of `package.json`. */
  readonly manifest?: Readonly<Record<string, unknown>>;
  readonly publisher?: string;
  /** Hours since it was published. Default: 1,000. */
  readonly hours?: number;
  /** Whether it names attestations. No server here has them. */
  readonly isAttested?: boolean;
  /** The archive is another one than its hash says. */
  readonly isReplaced?: boolean;
}

/** A registry on loopback. Versions can be published while it runs. */
export interface Registry {
  readonly url: string;
  /** The paths that were asked for. */
  readonly asked: string[];
  publish(version: Published): void;
  close(): void;
}

export async function serveRegistry(versions: readonly Published[] = []): Promise<Registry> {
  const root = mkdtempSync(join(tmpdir(), 'bulkhead-registry-'));
  const documents = new Map<string, Document>();
  const archives = new Map<string, Buffer>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? '/').slice(1));
    asked.push(path);
    const archive = archives.get(path);
    if (archive !== undefined) return response.end(archive);
    const document = documents.get(path);
    if (document === undefined) return response.writeHead(404).end('{}');
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify(document));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const publish = (published: Published): void => {
    const { name, version = '1.0.0', publisher = 'ada', hours = 1_000 } = published;
    const manifest = { name, version, ...published.manifest };
    const archive = pack(root, { 'package.json': JSON.stringify(manifest), ...published.files });
    const file = `${name}/-/${version}.tgz`;
    const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
    archives.set(file, published.isReplaced === true ? pack(root, { evil: '1' }) : archive);
    const document = documents.get(name) ?? { name, versions: {}, time: {}, 'dist-tags': {} };
    document.versions[version] = {
      ...manifest,
      _npmUser: { name: publisher, email: `${publisher}@x.example` },
      dist: {
        tarball: `${url}${file}`,
        integrity,
        ...(published.isAttested === true
          ? { attestations: { url: `${url}attestations`, provenance: { predicateType: 'x' } } }
          : {}),
      },
    };
    document.time[version] = new Date(Date.now() - hours * 3_600_000).toISOString();
    document['dist-tags'].latest = version;
    documents.set(name, document);
  };
  for (const version of versions) publish(version);
  return {
    url,
    asked,
    publish,
    close: () => {
      server.close();
      server.closeAllConnections();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

interface Document {
  readonly name: string;
  readonly versions: Record<string, object>;
  readonly time: Record<string, string>;
  readonly 'dist-tags': { latest?: string };
}

function pack(root: string, files: Readonly<Record<string, string>>): Buffer {
  const directory = mkdtempSync(join(root, 'archive-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, 'package', path)), { recursive: true });
    writeFileSync(join(directory, 'package', path), text);
  }
  execFileSync('tar', ['-czf', 'package.tgz', 'package'], { cwd: directory });
  return readFileSync(join(directory, 'package.tgz'));
}
