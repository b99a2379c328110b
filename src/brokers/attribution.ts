/** Whose doing a use of a broker is, as far as the host can know. */
export interface Attribution {
  /** The one call that its guest had under way. */
  readonly call?: string;
  /** The calls that it had under way, where they were several: one of them did it. */
  readonly among?: readonly string[];
}

/** The attribution in something that has one and more. */
export function attributed(of: {
  readonly call: string | undefined;
  readonly among: readonly string[] | undefined;
}): Attribution {
  return {
    ...(of.call === undefined ? {} : { call: of.call }),
    ...(of.among === undefined ? {} : { among: of.among }),
  };
}
