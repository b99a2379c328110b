import { type Markup, html } from '../../report/html/markup.js';
import type { CallStep, RecentCall } from '../recent-calls.js';
import { ms } from './duration.js';
import { quoted } from './layout.js';

/** A call with the calls that it made. */
export interface CallNode {
  readonly call: RecentCall;
  readonly children: readonly CallNode[];
}

/** Lines of one time line. */
const MAX_LINES = 400;

/** Deeper calls are not indented further. */
const MAX_INDENT = 3;

interface Line {
  readonly fromMs: number;
  readonly toMs: number;
  readonly kind: CallStep['kind'] | 'call';
  readonly depth: number;
  readonly content: Markup;
}

/** The call `id` with the calls below it. A call that names itself as its caller appears once. */
export function nodeOf(
  call: RecentCall,
  childrenOf: (id: string) => readonly RecentCall[],
): CallNode {
  const seen = new Set<string>();
  const node = (one: RecentCall): CallNode[] => {
    if (seen.has(one.id)) return [];
    seen.add(one.id);
    return [{ call: one, children: childrenOf(one.id).flatMap(node) }];
  };
  const [root = { call, children: [] }] = node(call);
  return root;
}

/** Requests, decisions and nested calls as bars on the time of the call, each with its text. */
export function timeLine(node: CallNode): Markup {
  const { startedAtMs, end } = node.call;
  const lines = linesOf(node, 0);
  if (lines.length === 0) return html`<p>It sent no request through the host.</p>`;
  const last = lines.reduce((most, { toMs }) => Math.max(most, toMs - startedAtMs), 0);
  const whole = Math.max(1, end?.durationMs ?? 0, last);
  return html`<ol class="steps">
      ${lines.slice(0, MAX_LINES).map((line) => row(line, startedAtMs, whole))}
    </ol>
    ${lines.length > MAX_LINES && html`<p class="meta">And ${lines.length - MAX_LINES} more.</p>`}`;
}

/** In the order of their begin. What a nested call did stands below it. */
function linesOf({ call, children }: CallNode, depth: number): readonly Line[] {
  const own = call.steps.map((step): readonly Line[] => [lineOf(step, depth)]);
  const nested = children.map((child): readonly Line[] => [
    nestedLine(child.call, depth),
    ...linesOf(child, depth + 1),
  ]);
  return [...own, ...nested].toSorted((a, b) => beginOf(a) - beginOf(b)).flat();
}

function beginOf([first]: readonly Line[]): number {
  return first?.fromMs ?? 0;
}

function lineOf(step: CallStep, depth: number): Line {
  const { atMs, durationMs = 0, text, wanted, kind, at, isPerhaps = false } = step;
  return {
    fromMs: atMs - durationMs,
    toMs: atMs,
    kind,
    depth,
    content: html`${text}${wanted !== '' && html` ${quoted(wanted)}`}${at !== undefined && html` at ${quoted(at)}`}${isPerhaps && PERHAPS}`,
  };
}

const PERHAPS = html` <span class="meta"
  >by this call, or by another that ran in the process at that time</span
>`;

function nestedLine({ id, plugin, tool, startedAtMs, end }: RecentCall, depth: number): Line {
  return {
    fromMs: startedAtMs,
    toMs: startedAtMs + (end?.durationMs ?? 0),
    kind: 'call',
    depth,
    content: html`call of
      <a href="/console/calls/${encodeURIComponent(id)}"><bdi>${plugin}</bdi>:<bdi>${tool}</bdi></a>
      ${end === undefined ? 'runs' : end.outcome === 'ok' ? 'ok' : (end.code ?? 'failed')}`,
  };
}

function row({ fromMs, toMs, kind, depth, content }: Line, startMs: number, whole: number): Markup {
  const within = (atMs: number): number => Math.min(whole, Math.max(0, atMs - startMs));
  const from = within(fromMs);
  const width = Math.max(1, ((within(toMs) - from) / whole) * 100);
  return html`<li class="${kind}">
    <svg class="lane" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="rail" x="0" y="2.5" width="100" height="1" />
      <rect
        class="mark-${kind}"
        x="${Math.min(99, (from / whole) * 100).toFixed(2)}"
        y="0"
        width="${width.toFixed(2)}"
        height="6"
      />
    </svg>
    <span class="when">+${ms(from)}${toMs > fromMs && ` for ${ms(toMs - fromMs)}`}</span>
    <span class="what indent-${Math.min(depth, MAX_INDENT)}">${content}</span>
  </li>`;
}
