import { isRecord } from '../../sandbox/wire/json.js';
import { BulkheadError } from '../errors.js';
import type { Finding, FindingException } from './report.js';

/** An accepted finding: a rule, and the plugin for which it does not count. */
export interface ExceptionRule extends FindingException {
  readonly rule: string;
  readonly plugin: string;
  /** The subject of the finding; absent: every finding of the rule. */
  readonly subject: string | undefined;
}

/**
 * Reads `{"exceptions": [{"rule", "plugin", "subject"?, "reason", "owner", "until"}]}`. Throws
 * `INVALID_OPTIONS`, also for an exception without a reason, an owner or an end date.
 */
export function parseExceptions(value: unknown): readonly ExceptionRule[] {
  const list: unknown = isRecord(value) && 'exceptions' in value ? value['exceptions'] : value;
  if (!Array.isArray(list)) throw invalid('it has no list "exceptions"');
  return list.map((one: unknown, index) => {
    const text = (key: string): string => {
      const found = isRecord(one) ? one[key] : undefined;
      if (typeof found === 'string' && found.trim() !== '') return found;
      throw invalid(`exception ${index + 1} has no "${key}"`);
    };
    const until = text('until');
    if (!/^\d{4}-\d\d-\d\d$/.test(until) || Number.isNaN(Date.parse(until))) {
      throw invalid(`exception ${index + 1}: "until" must be a date such as 2026-12-31`);
    }
    return {
      rule: text('rule'),
      plugin: text('plugin'),
      subject: isRecord(one) && 'subject' in one ? text('subject') : undefined,
      reason: text('reason'),
      owner: text('owner'),
      until,
    };
  });
}

/** Marks the findings that an exception covers. An expired exception is mentioned, and covers nothing. */
export function applyExceptions(
  findings: readonly Finding[],
  exceptions: readonly ExceptionRule[],
  nowMs: number,
): Finding[] {
  return findings.map((finding) => {
    const fitting = exceptions.filter(
      ({ rule, plugin, subject }) =>
        rule === finding.rule &&
        (plugin === finding.plugin || plugin === '*') &&
        (subject === undefined || subject === finding.subject),
    );
    const valid = fitting.find((one) => endOf(one) > nowMs);
    const exception = valid ?? fitting[0];
    if (exception === undefined) return finding;
    const { reason, owner, until } = exception;
    return {
      ...finding,
      exception: { reason, owner, until },
      excepted: valid !== undefined,
      message:
        valid === undefined
          ? `${finding.message} An exception for it expired on ${until} (${owner}: ${reason}).`
          : finding.message,
    };
  });
}

function endOf({ until }: ExceptionRule): number {
  return Date.parse(`${until}T23:59:59.999Z`);
}

function invalid(what: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', `The file of exceptions is invalid: ${what}.`, {
    option: 'exceptions',
  });
}
