import { appSurface } from './surface-app.js';
import { contentSurface } from './surface-content.js';
import type { SurfaceGroup } from './surface-group.js';
import { memorySurface } from './surface-memories.js';

/** Every member of `spindle` that is no more than a question to the host. */
export const surface: readonly SurfaceGroup[] = [
  ...contentSurface,
  ...memorySurface,
  ...appSurface,
];
