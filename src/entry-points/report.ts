/** The permission report. */
export { makeReport, type ReportSources } from '../report/make-report.js';
export { type ReportFormat, reportFormats } from '../report/formats.js';
export { rules as reportRules } from '../report/rules.js';
export type { Finding, PluginReport, Report } from '../report/report.js';
export { parseExceptions } from '../report/exceptions.js';
