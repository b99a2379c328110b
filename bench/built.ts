import type * as bundler from '../src/plugin/bundle/bundler.js';
import type * as bundles from '../src/plugin/bundle/cache.js';
import type * as catalog from '../src/catalog/catalog.js';
import type * as fleet from '../src/entry-points/fleet.js';
import type * as lock from '../src/entry-points/lock.js';
import type * as server from '../src/http/server.js';
import type * as bulkhead from '../src/index.js';

// As it is built and shipped: what compiles bench/ on the fly makes every function larger and dearer.
const built = new URL('../dist/src/', import.meta.url);
const engines: typeof bulkhead = await import(new URL('index.js', built).href);
const catalogs: typeof catalog = await import(new URL('catalog/catalog.js', built).href);

const servers: typeof server = await import(new URL('http/server.js', built).href);

const fleets: typeof fleet = await import(new URL('entry-points/fleet.js', built).href);
const bundlers: typeof bundler = await import(new URL('plugin/bundle/bundler.js', built).href);
const caches: typeof bundles = await import(new URL('plugin/bundle/cache.js', built).href);
const locks: typeof lock = await import(new URL('entry-points/lock.js', built).href);

export const createGateway: typeof fleet.createGateway = fleets.createGateway;
export const openLockfile: typeof lock.openLockfile = locks.openLockfile;
export const createEngine: typeof bulkhead.createEngine = engines.createEngine;
export const makeCatalog: typeof catalog.makeCatalog = catalogs.makeCatalog;
export const startServer: typeof server.startServer = servers.startServer;
export const makeBundler: typeof bundler.makeBundler = bundlers.makeBundler;
export const makeBundleCache: typeof bundles.makeBundleCache = caches.makeBundleCache;
