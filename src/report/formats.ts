import { jsonLines } from '../visible.js';
import { renderHtml } from './html/page.js';
import { renderMarkdown } from './markdown.js';
import type { Report } from './report.js';
import { renderSarif } from './sarif.js';

/** How a report can be written, and under which name it is kept. */
export const reportFormats: Readonly<Record<ReportFormat, Renderer>> = {
  json: { file: 'report.json', render: (report) => `${jsonLines(report)}\n` },
  md: { file: 'report.md', render: renderMarkdown },
  sarif: { file: 'report.sarif', render: renderSarif },
  html: { file: 'report.html', render: renderHtml },
};

export type ReportFormat = 'json' | 'md' | 'sarif' | 'html';

export interface Renderer {
  readonly file: string;
  readonly render: (report: Report) => string;
}
