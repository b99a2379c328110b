/** Caps on one Vellum plugin, each with the attack that it stops. */
export interface VellumLimits {
  /** Bytes of a `package.json`. Stops a file that fills the host's memory. */
  readonly maxManifestBytes: number;
  /** Bytes of an `install-meta.json`. */
  readonly maxInstallMetaBytes: number;
  /** Files of tools and hooks. Each costs a system call and a part of a bundle. */
  readonly maxSurfaces: number;
  /** Characters of a description. Models read every description in every turn. */
  readonly maxDescriptionText: number;
  /** Blocks of one result. */
  readonly maxContentBlocks: number;
  /** Characters of a result's status, which clients show on one line. */
  readonly maxStatusText: number;
}

export const VELLUM_LIMITS: VellumLimits = {
  maxManifestBytes: 256 * 1024,
  maxInstallMetaBytes: 64 * 1024,
  maxSurfaces: 256,
  maxDescriptionText: 16 * 1024,
  maxContentBlocks: 64,
  maxStatusText: 200,
};
