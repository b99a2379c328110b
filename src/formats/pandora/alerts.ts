import type { PluginAlert } from '../../plugin/tool.js';
import { isObject } from '../../schema/shape.js';
import { cutText } from './text.js';

const MAX_ALERTS = 20;
const MAX_MESSAGE = 500;

/** Reads what `resolveTools` wants its operator to know. */
export function readAlerts(
  value: unknown,
  report: (problem: string) => void,
): readonly PluginAlert[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    report('alerts: must be a list');
    return [];
  }
  if (value.length > MAX_ALERTS) report(`alerts: those after ${MAX_ALERTS} are left out`);
  return value.slice(0, MAX_ALERTS).flatMap((alert: unknown, index) => {
    if (!isObject(alert) || typeof alert['message'] !== 'string') {
      report(`alerts[${index}]: must have a level and a message`);
      return [];
    }
    const { level } = alert;
    if (level !== 'info' && level !== 'warning') {
      report(`alerts[${index}].level: must be "info" or "warning"; it counts as a warning`);
    }
    const message = cutText(alert['message'], MAX_MESSAGE);
    return [{ level: level === 'info' ? 'info' : 'warning', message } as const];
  });
}
