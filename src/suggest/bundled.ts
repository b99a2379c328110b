import { walledBundler } from '../engine/node/walled-bundler.js';
import { bundlePlugin } from '../plugin/bundle/bundler.js';
import type { Bundle, Plugin } from '../plugin/plugin.js';
import type { OriginalPosition } from '../plugin/source-map.js';

/** The bundles of a plugin's tools, to read. They do not run: the code is as the author wrote it. */
export function bundlesToRead(plugin: Plugin): readonly (() => Promise<Bundle>)[] {
  const { directory, entries } = plugin;
  return entries
    .filter(({ surface }) => surface === 'tools')
    .map(
      ({ file, surfaces, virtualModules }) =>
        () =>
          bundlePlugin(
            {
              directory,
              entry: surfaces === undefined ? { file } : { surfaces },
              virtualModules: virtualModules ?? [],
              builtins: 'powerless',
              rewrite: false,
            },
            walledBundler(),
          ),
    );
}

/** `lib/weather.ts:14:9`; `undefined` for code that the bundler added. */
export function placeText(origin: OriginalPosition | undefined): string | undefined {
  return origin && `${origin.source}:${origin.line}:${origin.column}`;
}
