import type { ToolAnnotations } from '../../plugin/tool.js';
import { isObject } from '../../schema/shape.js';
import { cutText } from './text.js';

const MAX_TITLE = 200;

/**
 * Reads the hints of a tool. Only `true` and `false` are hints; whatever else stands there counts as
 * not said, and a tool that does not say that it only reads is taken to write.
 */
export function readAnnotations(
  value: unknown,
  report: (problem: string) => void,
): ToolAnnotations {
  if (!isObject(value)) {
    report('annotations: are missing, so it counts as one that writes');
    return { readOnlyHint: false };
  }
  const hint = (name: string): boolean | undefined => {
    const said = value[name];
    if (typeof said === 'boolean') return said;
    if (said !== undefined && said !== null) report(`annotations.${name}: must be true or false`);
    return undefined;
  };
  const { title } = value;
  const readOnlyHint = hint('readOnlyHint') ?? false;
  const destructiveHint = hint('destructiveHint');
  const idempotentHint = hint('idempotentHint');
  return {
    ...(typeof title === 'string' && title !== '' ? { title: cutText(title, MAX_TITLE) } : {}),
    readOnlyHint,
    ...(destructiveHint === undefined ? {} : { destructiveHint }),
    ...(idempotentHint === undefined ? {} : { idempotentHint }),
  };
}
