/** The argument of a bundle. A bundle that runs without it reports nothing. */
declare const $bulkhead: { readonly modules: Readonly<Record<string, unknown>> } | undefined;

type Report = (permission: string, wanted: string) => void;

/** The function of the guest that reports a denial to the host, or `undefined`. */
export function linkedReport(): Report | undefined {
  if (typeof $bulkhead === 'undefined') return undefined;
  const report: unknown = $bulkhead.modules['bulkhead:denied'];
  return isReport(report) ? report : undefined;
}

function isReport(report: unknown): report is Report {
  return typeof report === 'function';
}
