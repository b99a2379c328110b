import { BulkheadError } from '../errors.js';
import type { Finding, FindingException } from './report.js';

/** Findings that somebody answers for: a rule, and where it shall not count. */
export interface ExceptionRule extends FindingException {
  readonly rule: string;
  readonly plugin: string;
  /** Which finding of that rule; absent: all of them. */
  readonly subject: string | undefined;
}

/**
 * Reads `{"exceptions": [{"rule", "plugin", "subject"?, "reason", "owner", "until"}]}`. Throws
 * `INVALID_OPTIONS`, also for one without a reason, an owner or an end: what nobody answers for, and
 * what holds for ever, is no exception.
 */
export function parseExceptions(value: unknown): readonly ExceptionRule[] {
  const list: unknown =
    typeof value === 'object' && value !== null && 'exceptions' in value ? value.exceptions : value;
  if (!Array.isArray(list)) throw invalid('it has no list of "exceptions"');
  return list.map((one: unknown, index) => {
    const text = (key: string): string => {
      const found: unknown =
        typeof one === 'object' && one !== null ? Reflect.get(one, key) : undefined;
      if (typeof found === 'string' && found.trim() !== '') return found;
      throw invalid(`exception ${index + 1} has no "${key}"`);
    };
    const until = text('until');
    if (!/^\d{4}-\d\d-\d\d$/.test(until) || Number.isNaN(Date.parse(until))) {
      throw invalid(`exception ${index + 1}: "until" is no date like 2026-12-31`);
    }
    const has = typeof one === 'object' && one !== null && 'subject' in one;
    return {
      rule: text('rule'),
      plugin: text('plugin'),
      subject: has ? text('subject') : undefined,
      reason: text('reason'),
      owner: text('owner'),
      until,
    };
  });
}

/** Marks the findings that an exception covers. One that has run out is told, and covers nothing. */
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
    const holding = fitting.find((one) => endOf(one) > nowMs);
    const exception = holding ?? fitting[0];
    if (exception === undefined) return finding;
    const { reason, owner, until } = exception;
    return {
      ...finding,
      exception: { reason, owner, until },
      excepted: holding !== undefined,
      message:
        holding === undefined
          ? `${finding.message} An exception for it ran out on ${until} (${owner}: ${reason}).`
          : finding.message,
    };
  });
}

function endOf({ until }: ExceptionRule): number {
  return Date.parse(`${until}T23:59:59.999Z`);
}

function invalid(what: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', `The file of exceptions cannot be used: ${what}.`, {
    option: 'exceptions',
  });
}
