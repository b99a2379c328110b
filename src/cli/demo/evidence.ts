import { join } from 'node:path';
import {
  type Engine,
  type EngineOptions,
  isBulkheadError,
  makeReport,
  reportFormats,
} from '../../index.js';
import { USUAL_LOG } from '../audit/settings.js';
import type { Paint } from '../paint.js';
import type { CliPowers } from '../powers.js';
import { visible } from '../visible.js';

/** The demo's engine, and why it keeps no log where it cannot: that is no reason to show nothing. */
export async function openWithLog(
  options: EngineOptions,
  powers: Pick<CliPowers, 'createEngine'>,
): Promise<{ readonly engine: Engine; readonly noLog: string | undefined }> {
  try {
    return {
      engine: await powers.createEngine({ ...options, audit: { file: USUAL_LOG } }),
      noLog: undefined,
    };
  } catch (error) {
    if (!isBulkheadError(error, 'AUDIT_FAILED')) throw error;
    return { engine: await powers.createEngine(options), noLog: error.message };
  }
}

/** Writes the report on what has just happened, and says where it and the log are. */
export async function leaveEvidence(
  { engine, noLog }: Awaited<ReturnType<typeof openWithLog>>,
  { wallClock, writeFile }: Pick<CliPowers, 'wallClock' | 'writeFile'>,
  paint: Paint,
): Promise<string> {
  if (noLog !== undefined) return `  audit  ${paint('yellow', 'none')}: ${visible(noLog)}`;
  const verdict = await engine.audit.verify();
  const notes = verdict.ok ? [] : [verdict.message];
  const report = await makeReport({
    plugins: engine.plugins(),
    records: engine.audit.query(),
    log: { file: USUAL_LOG, sound: verdict.ok, notes },
    nowMs: wallClock(),
  });
  const { file, render } = reportFormats.html;
  const path = join(USUAL_LOG, '..', file);
  await writeFile(path, render(report));
  const chain = verdict.ok ? paint('green', 'chain ok') : paint('red', 'chain BROKEN');
  return `  audit  ./${USUAL_LOG} (${chain})    report  ./${path}`;
}
